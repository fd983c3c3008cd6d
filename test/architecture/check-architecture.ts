import { posix } from 'node:path';
import { findCycles } from './find-cycles.ts';
import { readImports, withoutStrings } from './read-imports.ts';
import { BANNED_NAMES, CODE, LAYERS, PACKAGES } from './rules.ts';

export interface Violation {
  readonly file: string;
  readonly rule: string;
  readonly found: string;
}

/** Paths are relative to the root, with `/`. */
export type Sources = ReadonlyMap<string, string>;

const under = (file: string, prefix: string): boolean => {
  const pattern = prefix.split('*').map((part) => part.replace(/[.\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('[^/]+')}`).test(file);
};
const isRelative = (specifier: string): boolean => /^\.{0,2}\//.test(specifier);
const resolve = (file: string, specifier: string): string => posix.join(posix.dirname(file), specifier);

const layerOf = (file: string) =>
  LAYERS.filter((layer) => under(file, layer.files)).sort((a, b) => b.files.length - a.files.length)[0];

const checkLayer = (file: string, targets: readonly string[]): Violation[] => {
  const layer = layerOf(file);
  if (!layer) return [{ file, rule: 'every file is under a row of LAYERS', found: file }];
  const rule = `${layer.files} may import ${layer.mayImport.join(', ') || 'nothing of the project'}`;
  return targets
    .filter((target) => !layer.mayImport.some((prefix) => under(target, prefix)))
    .map((target) => ({ file, rule, found: target }));
};

const checkPackages = (file: string, packages: readonly string[]): Violation[] =>
  PACKAGES.filter((row) => !row.onlyIn.some((prefix) => under(file, prefix))).flatMap((row) =>
    packages.filter((name) => row.packages.test(name)).map((name) => ({ file, rule: row.rule, found: name })),
  );

const checkCode = (file: string, source: string): Violation[] => {
  const code = withoutStrings(source);
  return CODE.filter((row) => under(file, row.files) && !row.except.some((prefix) => under(file, prefix))).flatMap(
    (row) => {
      const match = row.pattern.exec(code);
      return match ? [{ file, rule: row.rule, found: match[0] }] : [];
    },
  );
};

const checkName = (file: string): Violation[] =>
  BANNED_NAMES.includes(posix.basename(file, '.ts'))
    ? [{ file, rule: 'a file is named for its main export', found: posix.basename(file) }]
    : [];

const checkResolution = (file: string, targets: readonly string[], sources: Sources): Violation[] =>
  targets
    .filter((target) => !sources.has(target) && !target.endsWith('.json'))
    .map((target) => ({ file, rule: 'an import names an existing file, with its extension', found: target }));

export const checkArchitecture = (sources: Sources): readonly Violation[] => {
  const violations: Violation[] = [];
  const graph = new Map<string, readonly string[]>();
  for (const [file, source] of sources) {
    const imports = readImports(source);
    const targets = imports.filter(isRelative).map((specifier) => resolve(file, specifier));
    graph.set(file, targets);
    violations.push(
      ...checkLayer(file, targets),
      ...checkPackages(
        file,
        imports.filter((specifier) => !isRelative(specifier)),
      ),
      ...checkCode(file, source),
      ...checkName(file),
      ...checkResolution(file, targets, sources),
    );
  }
  for (const cycle of findCycles(graph)) {
    violations.push({ file: cycle[0] ?? '', rule: 'no import cycles', found: cycle.join(' → ') });
  }
  return violations;
};

export const describeViolation = ({ file, rule, found }: Violation): string => `${file}: ${rule} (found: ${found})`;
