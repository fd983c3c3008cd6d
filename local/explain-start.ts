import { WorkflowFileError } from './load-workflows.ts';
import { type Settings, SettingsError } from './settings.ts';
import { StoreOpenError } from './store-open-error.ts';

/** One line for what a person can mend; anything else is a bug and shows its stack. */
export function explainStart(error: unknown, settings?: Settings): string {
  if (error instanceof SettingsError || error instanceof StoreOpenError || error instanceof WorkflowFileError) {
    return error.message;
  }
  const { code } = error as { readonly code?: string };
  const address = settings && `${settings.serverHost}:${settings.serverPort}`;
  if (code === 'EADDRINUSE')
    return `The address ${address} is in use; choose another port with KAGZI_SERVER_PORT, or --port of \`kagzi dev\``;
  if (code === 'EACCES')
    return `The address ${address} may not be listened on; choose another with KAGZI_SERVER_PORT, or --port of \`kagzi dev\``;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `${address} is no address of this machine`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
