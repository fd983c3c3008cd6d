import * as z from 'zod';
import { KagziError } from '../../../shared/model/errors.ts';
import { defineCall } from '../call.ts';
import { instant, noParams, noQuery } from '../fields.ts';
import { time } from '../run-view.ts';

const samples = z.record(z.string(), z.array(z.number().nullable()));

export const getMetricsHistoryAnswer = z.strictObject({
  interval_ms: z.int(),
  end_at: instant.describe('When the last sample was taken.'),
  counters: samples.describe('What was counted up to each sample since the one before; null where none was taken.'),
  gauges: samples.describe('What was measured at each sample.'),
});

export const getMetricsHistory = defineCall({
  method: 'GET',
  path: '/metrics/history',
  name: 'getMetricsHistory',
  summary: 'The metrics of this process over the last hour, in samples at even distances',
  access: 'user',
  params: noParams,
  query: noQuery,
  answers: {
    200: getMetricsHistoryAnswer,
  },
  errors: ['ROUTE_NOT_FOUND'],
  async handle({ service }) {
    if (service.metricsHistory === undefined) {
      throw new KagziError(
        'ROUTE_NOT_FOUND',
        'This deployment keeps no history of metrics; see its CloudWatch dashboard.',
      );
    }
    const { intervalMs, endAt, counters, gauges } = service.metricsHistory();
    return { status: 200, body: { interval_ms: intervalMs, end_at: time(endAt), counters, gauges } };
  },
});
