/** What goes into a CDK app of your own. */
export type { ApiAuth } from './api-auth.ts';
export type { EncryptionKind } from './data-key.ts';
export { KagziEngine, type KagziEngineProps, type TaskQueueOptions } from './kagzi-engine.ts';
export { KagziWorker, type KagziWorkerProps } from './kagzi-worker.ts';
