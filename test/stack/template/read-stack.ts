import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Condition: z.string().optional(),
});
const template = z.looseObject({
  Parameters: z.record(z.string(), z.looseObject({ Default: z.unknown() })).default({}),
  Mappings: z.record(z.string(), z.unknown()).default({}),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).default({}),
});
const assets = z.looseObject({
  files: z.record(z.string(), z.looseObject({ source: z.looseObject({ path: z.string() }) })),
});

export type Resource = z.output<typeof resource>;
export type Template = z.output<typeof template>;

/** A stack as it was synthesised: its template, and where the files are that it would upload. */
export interface SynthesisedStack {
  readonly name: string;
  readonly template: Template;
  /** The folder or file of an asset, by its hash. */
  assetPath(hash: string): string;
}

const TEMPLATE = '.template.json';

/** The one stack in a folder that `cdk synth` has written. */
export function readStack(directory: string): SynthesisedStack {
  const [file, ...others] = readdirSync(directory).filter((name) => name.endsWith(TEMPLATE));
  if (file === undefined || others.length > 0) throw new Error(`${directory} does not hold exactly one stack`);
  const name = file.slice(0, -TEMPLATE.length);
  const json = (path: string): unknown => JSON.parse(readFileSync(join(directory, path), 'utf8'));
  const { files } = assets.parse(json(`${name}.assets.json`));
  return {
    name,
    template: template.parse(json(file)),
    assetPath(hash) {
      const asset = files[hash];
      if (asset === undefined) throw new Error(`the stack ${name} has no asset ${hash}`);
      return join(directory, asset.source.path);
    },
  };
}
