import packageFile from '../../package.json' with { type: 'json' };
import { composeEngine } from '../compose-engine.ts';
import { flushing } from '../lambda-telemetry.ts';
import { createApiHandler } from './create-api-handler.ts';
import { FEATURES } from './features.ts';
import { readAuthorisation } from './read-authorisation.ts';

const { engine, telemetry } = composeEngine(process.env);

/** Behind API Gateway: events of an HTTP API, payload version 2.0. */
export const handler = flushing(
  telemetry,
  createApiHandler({
    engine,
    authorisation: readAuthorisation(process.env),
    service: { version: packageFile.version, features: FEATURES, metrics: null },
    telemetryFor: ({ correlationId, trace }) => telemetry.with({ correlation_id: correlationId, trace_id: trace.id }),
    xrayHeader: () => process.env['_X_AMZN_TRACE_ID'],
  }),
);
