import { callApi, within } from './api.ts';
import { useLive } from './live.ts';
import type { WorkflowType } from './wire.ts';

export interface ServedTypes {
  readonly types: readonly WorkflowType[];
  /** Whether there can be no others; false until an answer has come, too. */
  readonly complete: boolean;
}

interface Answer {
  readonly workflow_types: readonly WorkflowType[];
  readonly complete: boolean;
}

const PACE = { minMs: 3_000, maxMs: 30_000 };

/** What somebody serves now in a namespace. */
export function useServedTypes(namespace: string): ServedTypes {
  const { data } = useLive<Answer>(
    `types ${namespace}`,
    (signal) => callApi(within(namespace, '/workflow-types'), { signal }),
    () => PACE,
  );
  return { types: data?.workflow_types ?? [], complete: data?.complete ?? false };
}

/** Each once, though it may be served on several queues. */
export const typeNames = (types: readonly WorkflowType[]): readonly string[] => [
  ...new Set(types.map(({ workflow_type }) => workflow_type)),
];
