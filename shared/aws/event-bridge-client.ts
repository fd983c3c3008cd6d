import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { type ClientSettings, clientConfig } from './client-settings.ts';

/** Twice is no worse than once on a bus, so the SDK may send again what was lost. */
export const createEventBridgeClient = (settings: ClientSettings = {}): EventBridgeClient =>
  new EventBridgeClient({ ...clientConfig(settings), maxAttempts: 4 });
