/** What tests of workflows import. */
export { createTestEngine, type TestEngine, type TestEngineOptions } from './create-test-engine.ts';
export { type ExportedRun, type ReplayResult, replayHistory } from './replay-history.ts';
