import type { RunStatus } from './run.ts';

/** The only ways a run's status changes; the stored conditions are made from this table. */
export const RUN_TRANSITIONS = {
  claim: { from: ['PENDING', 'SLEEPING'], to: 'RUNNING' },
  renew: { from: ['RUNNING'], to: 'RUNNING' },
  sleep: { from: ['RUNNING'], to: 'SLEEPING' },
  retry: { from: ['RUNNING'], to: 'PENDING' },
  release: { from: ['RUNNING'], to: 'PENDING' },
  recover: { from: ['RUNNING'], to: 'PENDING' },
  complete: { from: ['RUNNING'], to: 'COMPLETED' },
  fail: { from: ['RUNNING'], to: 'FAILED' },
  cancel: { from: ['PENDING', 'RUNNING', 'SLEEPING'], to: 'CANCELLED' },
} as const satisfies Record<string, { readonly from: readonly RunStatus[]; readonly to: RunStatus }>;

export type RunTransition = keyof typeof RUN_TRANSITIONS;
