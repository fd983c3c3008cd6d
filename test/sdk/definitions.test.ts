import { describe, expect, it } from 'vitest';
import { createClient, createWorker, defineWorkflow } from '../../sdk/index.ts';
import { createTestEngine } from '../../sdk/testing/index.ts';

type Loose = (...given: unknown[]) => unknown;
const loose = (call: unknown) => call as Loose;
const define = loose(defineWorkflow);
const run = async (): Promise<void> => undefined;
const flow = defineWorkflow({ type: 'flow' }, run);
const url = 'http://127.0.0.1:1';
const polling = (options: object) => () => loose(createWorker({ workflows: [flow] }).poll)(options);

describe('what cannot be is refused where it is written', () => {
  it.each<[string, () => unknown, string]>([
    ['no type', () => define({}, run), 'defineWorkflow needs a type'],
    ['nothing', () => define(), 'defineWorkflow needs a type'],
    ['a type alone', () => define('order', run), 'defineWorkflow needs a type'],
    ['an odd type', () => define({ type: 'a b' }, run), 'defineWorkflow "a b": type: "a b" is no workflow type'],
    ['no function', () => define({ type: 'a' }), 'defineWorkflow "a": the workflow: undefined is no function'],
    ['a number as version', () => define({ type: 'a', version: 2 }, run), 'version: 2 is no text'],
    ['no attempts', () => define({ type: 'a', retry: 0 }, run), 'retry: 0 is not a whole number'],
    ['a timeout', () => define({ type: 'a', timeout: 'soon' }, run), 'timeout: "soon" is no duration'],
    ['no schema', () => define({ type: 'a', input: { name: 'string' } }, run), 'input: an object is no schema'],
    ['no error class', () => define({ type: 'a', errors: [Date] }, run), 'errors: a function is no class of errors'],
    ['an unknown option', () => define({ type: 'a', retires: 3 }, run), 'Did you mean `retry`?'],
    [
      'a fixed retry without interval',
      () => define({ type: 'a', retry: { kind: 'fixed' } }, run),
      'needs its interval',
    ],
    [
      'no client options',
      () => loose(createClient)(),
      'createClient needs { url } of an engine, or { embedded: engine }',
    ],
    [
      'an address without http',
      () => createClient({ url: 'localhost:8750' }),
      '"localhost:8750" is no URL of an engine',
    ],
    ['a client option', () => loose(createClient)({ url, tokn: 'x' }), 'Did you mean `token`?'],
    ['no worker options', () => loose(createWorker)(), 'A worker needs at least one workflow'],
    ['no workflows', () => loose(createWorker)({}), 'A worker needs at least one workflow'],
    ['a worker of functions', () => loose(createWorker)({ workflows: [run] }), 'a function is no workflow'],
    ['the same version twice', () => createWorker({ workflows: [flow, flow] }), 'given twice with version "1"'],
    [
      'too many at a time',
      () => createWorker({ workflows: [flow], maxConcurrent: 0 }),
      'maxConcurrent: 0 is not a whole',
    ],
    ['a worker option', () => loose(createWorker)({ workflows: [flow], queue: 'q' }), 'Did you mean `taskQueue`?'],
    ['a poll worker without http', polling({ url: 'localhost:8750' }), '"localhost:8750" is no URL of an engine'],
    ['a poll option', polling({ url, drain: '3s' }), 'Did you mean `drainTimeout`?'],
    ['a limit of a type', polling({ url, workflowTypeConcurrency: { flow: 1.5 } }), 'flow: 1.5 is not a whole number'],
    ['a test engine of nothing', () => loose(createTestEngine)({}), 'A worker needs at least one workflow'],
  ])('%s', (_what, call, message) => {
    expect(call).toThrow(message);
  });
});
