import { callApi, within } from '../api.ts';
import { useLive } from '../live.ts';
import type { WorkflowType } from '../wire.ts';

/** For a field that names a workflow type: those that somebody serves now. */
export const KnownTypes = ({ namespace }: { readonly namespace: string }) => {
  const { data } = useLive<{ readonly workflow_types: readonly WorkflowType[] }>(
    `known types ${namespace}`,
    (signal) => callApi(within(namespace, '/workflow-types'), { signal }),
    () => null,
  );
  const names = new Set(data?.workflow_types.map(({ workflow_type }) => workflow_type));
  return (
    <datalist id="known-types">
      {[...names].map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
};
