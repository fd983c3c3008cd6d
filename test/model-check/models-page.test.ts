import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources } from '../architecture/read-sources.ts';
import { CHECKS, ENDS, MUTANTS } from './models.ts';
import { MODELS } from './spin.ts';

const page = readFileSync(join(MODELS, 'models.md'), 'utf8');
const models = readdirSync(MODELS).filter((file) => file.endsWith('.pml'));

const section = (title: string): string => page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
const rowsOf = (title: string): readonly (readonly string[])[] =>
  section(title)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()));
const named = (cell: string | undefined): readonly string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

describe('docs/protocol/models.md', () => {
  it('lists every mutant, and by what it is caught', () => {
    const listed = rowsOf('Mutants').map(([, model, mutant, breaks, caughtBy]) => [model, mutant, breaks, caughtBy]);
    expect(listed).toEqual(MUTANTS.map((m) => [m.model, `\`${m.name}\``, m.breaks, `\`${m.caughtBy}\``]));
  });

  it('lists every macro that breaks a model, and no other', () => {
    const macros = models.flatMap((file) => {
      const text = readFileSync(join(MODELS, file), 'utf8');
      const asked = [...text.matchAll(/^#\s*(?:ifdef|ifndef|if|elif)\b(.*)$/gm)].map(
        ([, condition]) => condition ?? '',
      );
      const set = new Set([...text.matchAll(/^#ifndef (\w+)\n#define \1\b/gm)].map(([, name]) => name));
      const names = new Set(asked.join(' ').match(/\b[A-Z][A-Z_]+\b/g));
      return [...names]
        .filter((name) => !set.has(name) && name !== 'POLL')
        .map((name) => `${file.slice(0, -4)} ${name}`);
    });
    expect(macros.sort()).toEqual(MUTANTS.map(({ model, name }) => `${model} ${name}`).sort());
  });

  it('explains every property', () => {
    const asserted = models.flatMap((file) =>
      [...readFileSync(join(MODELS, file), 'utf8').matchAll(/\bmust\((\w+), /g)].map(([, name]) => name ?? ''),
    );
    const properties = new Set([...asserted.filter((name) => name !== 'property'), ENDS]);
    expect(new Set(rowsOf('Properties').flatMap(([, names]) => named(names)))).toEqual(properties);
  });

  it('names what exists in the code', () => {
    const code = [...readSources(join(MODELS, '../..'))].filter(([file]) => /^(shared|sdk)\//.test(file));
    const words = new Set(code.flatMap(([file, text]) => [file, ...(text.match(/#?\w+/g) ?? [])]));
    const unknown = rowsOf('What stands for what')
      .flatMap(([, , , names]) => named(names))
      .flatMap((name) => (name.includes('/') ? [name] : name.split('.')))
      .filter((name) => !words.has(name));
    expect(unknown).toEqual([]);
  });

  it('gives the figures of every check', () => {
    const listed = rowsOf('Figures').map(([, model, name, mode]) => [model, name, mode]);
    expect(listed).toEqual(expect.arrayContaining(CHECKS.map(({ model, name, mode }) => [model, name, mode])));
  });
});
