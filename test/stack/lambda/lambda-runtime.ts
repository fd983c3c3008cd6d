import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Invocation, RuntimeMessage } from './runtime-messages.ts';

/** What Lambda's own runtime does in an execution environment: loads the handler, and hands it one event after another. */
const tell = (message: RuntimeMessage): void => void process.send?.(message);

process.once('disconnect', () => process.exit(1));

const [file = '', name = ''] = (process.env['_HANDLER'] ?? '').split('.');
const loaded = (await import(pathToFileURL(join(process.env['LAMBDA_TASK_ROOT'] ?? '', `${file}.mjs`)).href)) as Record<
  string,
  (event: unknown, context: object) => Promise<unknown>
>;
const handler = loaded[name];
if (handler === undefined) throw new Error(`${process.env['_HANDLER']} is not there`);

process.on('message', ({ invocation }: { readonly invocation?: Invocation }) => {
  if (invocation !== undefined) void serve(invocation);
});
tell({ what: 'ready' });

async function serve({ id, event, context, deadline }: Invocation): Promise<void> {
  try {
    const result = await handler?.(event, {
      ...context,
      awsRequestId: id,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    });
    tell({ what: 'result', id, result });
  } catch (error) {
    const { name: type, message } = error as Error;
    tell({ what: 'error', id, error: `${type}: ${message}` });
  }
}
