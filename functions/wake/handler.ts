import { fromRecord } from '../../shared/aws/sqs-messages.ts';
import { traceOfXray } from '../../shared/model/request-trace.ts';
import { handleControl } from '../../shared/usecases/handle-control.ts';
import { tracedEngine } from '../../shared/usecases/traced-engine.ts';
import { batchHandler } from '../batch-handler.ts';
import { composeEngine } from '../compose-engine.ts';

const { engine, telemetry } = composeEngine(process.env);

/** On the control queue: wake-ups from the Scheduler, and what the engine left for later. */
export const handler = batchHandler(telemetry, (record) => {
  const { body, trace = '' } = fromRecord(record);
  return handleControl(tracedEngine(engine, traceOfXray(trace)), body);
});
