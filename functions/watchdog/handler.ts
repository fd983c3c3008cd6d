import type { Context } from 'aws-lambda';
import { keepWatch } from '../../shared/usecases/keep-watch.ts';
import { composeEngine } from '../compose-engine.ts';
import { flushing } from '../lambda-telemetry.ts';

const { engine, telemetry } = composeEngine(process.env);

/** So long before Lambda would end it, it goes by itself. */
const SPARE_MS = 10_000;
/** So often it writes what it counted. */
const FLUSH_TICKS = 60;

/** Started each minute: it relieves the one before and ticks every second until it is relieved itself. */
export const handler = flushing(telemetry, (_event: unknown, context: Context) =>
  keepWatch(engine, {
    holder: context.awsRequestId,
    forMs: context.getRemainingTimeInMillis() - SPARE_MS,
    afterTick: (ticks) => {
      if (ticks % FLUSH_TICKS === 0) telemetry.flush();
    },
  }),
);
