import type { Plan } from './clients.ts';
import type { Node, StepNode } from './program.ts';

export const MINUTE = 60_000;

export const step = (id: string, more: Partial<StepNode> = {}): StepNode => ({
  op: 'step',
  id,
  fails: 0,
  attempts: 4,
  takesMs: 5,
  timeoutMs: null,
  bytes: 10,
  atMostOnce: false,
  ...more,
});
export const sleep = (id: string, ms: number): Node => ({ op: 'sleep', id, ms });
export const seq = (...of: readonly Node[]): Node => ({ op: 'seq', of });

/** What one client wants. */
export const onePlan = (program: Node, more: Partial<Plan> = {}): Plan => ({
  namespace: 'shop',
  externalId: 'order',
  version: '1',
  program,
  startsAfterMs: 0,
  delayMs: 0,
  cancel: null,
  ...more,
});
