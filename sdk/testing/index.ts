/** What tests of workflows import. */

export type { ExportedRun } from '../exported-run.ts';
export { createTestEngine, type TestEngine, type TestEngineOptions } from './create-test-engine.ts';
export { type ReplayResult, replay } from './replay.ts';
