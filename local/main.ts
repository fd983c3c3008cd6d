import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runServer } from './run-server.ts';

const EXAMPLES = new URL('../examples/', import.meta.url);

const exampleFiles = (): readonly string[] =>
  readdirSync(EXAMPLES)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => fileURLToPath(new URL(name, EXAMPLES)));

await runServer({
  env: process.env,
  workflows: ({ serveExamples }) => (serveExamples === 'on' ? exampleFiles() : []),
});
