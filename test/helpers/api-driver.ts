import { z } from 'zod';
import { deadLetterQueue } from '../../shared/ports/queue.ts';
import { recordDeadLetter } from '../../shared/usecases/record-dead-letter.ts';
import type { ApiClient } from './api-client.ts';
import type { TestEngine } from './test-engine.ts';

export const SHOP = '/v1/shop';
/** Well-formed, and of nothing there is. */
export const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
export const UNKNOWN_LEASE = 'abcdefghij.1.0.abcdefghijklmnopqrstuv';

const started = z.object({ run_id: z.string() });
const registered = z.object({ worker_id: z.string() });
const polled = z.object({ task: z.object({ run_id: z.string(), lease: z.string() }).nullable() });
const POLLS = 5;
const letters = z.object({ dead_letters: z.array(z.object({ id: z.string() })) });
const failed = z.object({ error: z.object({ code: z.string(), message: z.string(), details: z.object({}).loose() }) });

/** A run in the hands of a worker. */
export interface Held {
  readonly runId: string;
  readonly lease: string;
  readonly workerId: string;
  /** The path of the run. */
  readonly path: string;
  /** The path of its steps, under which calls about one of them are. */
  readonly steps: string;
  readonly step: (stepId: string) => string;
}

export const errorOf = (answer: { readonly body: unknown }) => failed.parse(answer.body).error;

export async function start(api: ApiClient, body: object = {}, base = SHOP): Promise<string> {
  return started.parse((await api.post(`${base}/runs`, { workflow_type: 'order', ...body })).body).run_id;
}

export async function register(api: ApiClient, body: object = {}, base = SHOP): Promise<string> {
  const answer = await api.post(`${base}/workers`, { workflow_types: ['order'], ...body });
  return registered.parse(answer.body).worker_id;
}

/** Polls past messages that are of no more use. */
export async function take(api: ApiClient, workerId: string, base = SHOP): Promise<Held> {
  let task: z.output<typeof polled>['task'] = null;
  for (let polls = 0; polls < POLLS && task === null; polls++) {
    const answer = await api.post(`${base}/task-queues/default/poll`, { worker_id: workerId, timeout_secs: 0 });
    ({ task } = polled.parse(answer.body));
  }
  if (task === null) throw new Error('there was no run to take');
  const { run_id: runId, lease } = task;
  const path = `${base}/runs/${runId}`;
  const step = (stepId: string): string => `${path}/step?step_id=${encodeURIComponent(stepId)}`;
  return { runId, lease, workerId, path, steps: `${path}/steps`, step };
}

export async function hold(api: ApiClient, body: object = {}, base = SHOP): Promise<Held> {
  await start(api, body, base);
  return take(api, await register(api, {}, base), base);
}

/** A run that has ended, by its path. */
export async function finished(api: ApiClient, output: unknown = 'done'): Promise<Held> {
  const held = await hold(api);
  await api.post(`${held.path}/complete`, { lease: held.lease, output });
  return held;
}

/** Delivers the first message of the namespace until it is a dead letter; answers its id. */
export async function bury(test: TestEngine, api: ApiClient, base = SHOP): Promise<string> {
  const { queue } = test;
  const group = base.replace('/v1/', '');
  for (;;) {
    const dead = await queue.receive(deadLetterQueue('default'), { max: 1, waitMs: 0, visibilityMs: 1_000 });
    for (const delivery of dead) await recordDeadLetter(test.engine, 'default', delivery);
    await queue.ack(deadLetterQueue('default'), dead);
    if (dead.some((delivery) => delivery.group === group)) break;
    await queue.receive('default', { max: 1, waitMs: 0, visibilityMs: 0, group });
  }
  const [letter] = letters.parse((await api.get(`${base}/dead-letters`)).body).dead_letters;
  if (letter === undefined) throw new Error('there is no dead letter');
  return letter.id;
}
