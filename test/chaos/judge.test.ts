import { expect, it } from 'vitest';
import { type Evidence, judge } from './judge.ts';
import type { SeenLine, StartLine } from './ledger.ts';
import { type Program, totalOf } from './program.ts';
import type { RunRecord, StepRecord } from './records.ts';

const program: Program = [
  { kind: 'step', value: 3, ms: 0 },
  { kind: 'flaky', value: 4, failures: 1 },
  { kind: 'once', value: 5, ms: 0 },
  { kind: 'nap', ms: 1 },
  { kind: 'parallel', branches: [[{ kind: 'step', value: 6, ms: 0 }], [{ kind: 'step', value: 7, ms: 0 }]] },
  { kind: 'child', queue: 'inside', program: [{ kind: 'step', value: 8, ms: 0 }] },
];

const start = (path: string, at: number, more: Partial<StartLine> = {}): StartLine => {
  const { runId = 'run' } = more;
  const by = `${runId} ${path} at ${at}`;
  return { what: 'start', runId, path, key: `${runId} ${path}`, attempt: 1, by, at, provenFrom: at, ...more };
};
const recorded = (body: StartLine, finishedAt: number): StepRecord => ({
  path: body.path,
  status: 'COMPLETED',
  output: { path: body.path, value: 0, by: body.by },
  finishedAt,
  code: null,
  childRunId: null,
});
const seenOf = ({ runId, path, by }: StartLine, at: number): SeenLine => ({ what: 'seen', runId, path, by, at });

const bodies = {
  step: start('0', 10),
  failed: start('1', 30),
  flaky: start('1', 50, { attempt: 2 }),
  once: start('2', 70),
  left: start('4:0.0', 90),
  right: start('4:1.0', 90),
  inner: start('0', 110, { runId: 'child' }),
};
const { failed: _failed, inner, ...accepted } = bodies;
const child: StepRecord = {
  path: '5',
  status: 'COMPLETED',
  output: undefined,
  finishedAt: 130,
  code: null,
  childRunId: 'child',
};

const record = (steps: readonly StepRecord[], total: number): RunRecord => ({
  status: 'COMPLETED',
  error: null,
  steps: new Map(steps.map((step) => [step.path, step])),
  output: {
    total,
    accepted: Object.fromEntries(
      steps.flatMap(({ path, output }) => (output === undefined ? [] : [[path, output.by]])),
    ),
  },
});

interface Found extends Evidence {
  records: Map<string, RunRecord>;
  lines: (StartLine | SeenLine)[];
  listed: string[];
}

/** As it should be. */
function evidence(): Found {
  const steps = Object.values(accepted).map((body) => recorded(body, body.at + 5));
  return {
    acknowledged: [{ runId: 'run', program }],
    listed: ['run', 'child'],
    lines: Object.values(bodies).flatMap((body) => [
      body,
      ...(body === bodies.failed ? [] : [seenOf(body, body.at + 6)]),
    ]),
    records: new Map([
      ['run', record([...steps, child], totalOf(program, new Set()))],
      ['child', record([recorded(inner, 115)], 8)],
    ]),
  };
}

const change = (found: Found, path: string, more: Partial<StepRecord>): void => {
  const run = found.records.get('run') as RunRecord;
  const steps = new Map(run.steps).set(path, { ...(run.steps.get(path) as StepRecord), ...more });
  found.records.set('run', { ...run, steps });
};
const end = (found: Found, more: Partial<RunRecord>): void => {
  found.records.set('run', { ...(found.records.get('run') as RunRecord), ...more });
};

it('is content with what is right', () => {
  expect(judge(evidence())).toEqual({ runs: 2, steps: 6, lost: [], doubled: [], keys: [], reexecuted: 0 });
});

it('allows a body to run again while its outcome is not recorded, and counts it', () => {
  const found = evidence();
  found.lines.push(start('0', 14), start('0', 900, { provenFrom: 15 }), start('1', 49));
  expect(judge(found)).toMatchObject({ lost: [], doubled: [], reexecuted: 3 });
});

it('knows that an interrupted step may fail, and what the run makes of it', () => {
  const found = evidence();
  change(found, '2', { status: 'FAILED', output: undefined, code: 'STEP_INTERRUPTED' });
  found.lines = found.lines.filter((line) => line.path !== '2' || line.what === 'start');
  const { '2': _gone, ...rest } = found.records.get('run')?.output?.accepted ?? {};
  end(found, { output: { total: totalOf(program, new Set(['2'])), accepted: rest } });
  expect(judge(found)).toMatchObject({ steps: 5, lost: [], doubled: [] });
});

const lies: readonly (readonly [string, 'lost' | 'doubled' | 'keys', (found: Found) => void])[] = [
  ['a run that is gone', 'lost', (found) => found.records.delete('run')],
  ['a child that is gone', 'lost', (found) => found.records.delete('child')],
  ['a run that has failed', 'lost', (found) => end(found, { status: 'FAILED', output: undefined })],
  ['a run that has not ended', 'lost', (found) => end(found, { status: 'RUNNING', output: undefined })],
  ['another total', 'lost', (found) => end(found, { output: { total: 1, accepted: {} } })],
  [
    'a result that nobody made',
    'lost',
    (found) => {
      found.lines = found.lines.filter(({ path }) => path !== '0');
    },
  ],
  [
    'a result of another execution',
    'lost',
    (found) => change(found, '0', { output: { path: '0', value: 3, by: 'x' } }),
  ],
  ['a step without a result', 'lost', (found) => change(found, '0', { output: undefined, status: 'RUNNING' })],
  [
    'a flaky step accepted too early',
    'lost',
    (found) => {
      found.lines = found.lines.map((line) => (line === bodies.flaky ? { ...line, attempt: 1 } : line));
    },
  ],
  ['a body after its result', 'doubled', (found) => found.lines.push(start('0', 900, { provenFrom: 16 }))],
  [
    'a body after its result was seen',
    'doubled',
    (found) => {
      change(found, '0', { finishedAt: 500 });
      found.lines.push(start('0', 20, { provenFrom: 17 }));
    },
  ],
  ['an attempt after it had failed', 'doubled', (found) => found.lines.push(start('1', 51))],
  ['a result that changed', 'doubled', (found) => found.lines.push(seenOf(start('0', 11), 13))],
  ['a second start of what may start once', 'doubled', (found) => found.lines.push(start('2', 71))],
  ['a run nobody asked for', 'doubled', (found) => found.listed.push('other')],
  ['two keys of one step', 'keys', (found) => found.lines.push(start('0', 11, { key: 'another' }))],
  ['one key of two steps', 'keys', (found) => found.lines.push(start('4:0.0', 91, { key: 'run 0' }))],
];
it.each(lies)('finds %s', (_what, kind, lie) => {
  const found = evidence();
  lie(found);
  expect(judge(found)[kind].length).toBeGreaterThan(0);
});
