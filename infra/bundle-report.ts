import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BUNDLE_FILE, BUNDLE_LIMITS_KB, bundleFunction, FUNCTION_NAMES } from './bundle-function.ts';

const LOADS = 7;

/** Enough for a function to start; nothing is called. */
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'report',
  KAGZI_ENVIRONMENT: 'report',
  KAGZI_AUTH: 'iam',
  KAGZI_TABLE: 'table',
  KAGZI_BUCKET: 'bucket',
  KAGZI_QUEUE_BASE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/',
  KAGZI_TASK_QUEUES: '{"default":"tasks"}',
  KAGZI_CONTROL_QUEUE_ARN: 'arn:aws:sqs:us-east-1:123456789012:control',
  KAGZI_SCHEDULE_GROUP: 'group',
  KAGZI_SCHEDULE_ROLE_ARN: 'arn:aws:iam::123456789012:role/timers',
  KAGZI_EVENT_BUS: 'default',
};
const MEASURE = `const since = performance.now();
const { handler } = await import(process.argv[1]);
if (typeof handler !== 'function') throw new Error('there is no handler');
process.stdout.write(String(performance.now() - since));
process.exit(0);`;

/** The median, in a process of its own each time. */
function loadMs(file: string): number {
  const times = Array.from({ length: LOADS }, () =>
    Number(
      execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', MEASURE, file], {
        env: ENVIRONMENT,
        encoding: 'utf8',
      }),
    ),
  );
  return times.sort((a, b) => a - b)[Math.floor(LOADS / 2)] ?? Number.NaN;
}

const directory = mkdtempSync(join(tmpdir(), 'kagzi-bundles-'));
try {
  const empty = join(directory, 'empty.mjs');
  writeFileSync(empty, 'export const handler = async () => undefined;');
  console.log(`| function | KB | KB gzipped | limit | ms to load (median of ${LOADS}) |\n|---|---|---|---|---|`);
  console.log(`| empty handler | | | | ${loadMs(empty).toFixed(1)} |`);
  for (const name of FUNCTION_NAMES) {
    const file = join(directory, name, BUNDLE_FILE);
    bundleFunction(name, join(directory, name));
    const bytes = readFileSync(file);
    const limit = BUNDLE_LIMITS_KB[name];
    const kb = bytes.length / 1000;
    console.log(
      `| ${name} | ${kb.toFixed(1)} | ${(gzipSync(bytes).length / 1000).toFixed(1)} | ${limit ?? ''} | ${loadMs(file).toFixed(1)} |`,
    );
    if (limit !== undefined && kb > limit) process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true });
}
