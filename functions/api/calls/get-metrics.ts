import * as z from 'zod';
import { KagziError } from '../../../shared/model/errors.ts';
import { defineCall } from '../call.ts';
import { noParams, noQuery } from '../fields.ts';

export const getMetrics = defineCall({
  method: 'GET',
  path: '/metrics',
  name: 'getMetrics',
  summary: 'Prometheus metrics of this process',
  access: 'user',
  params: noParams,
  query: noQuery,
  answers: { 200: z.string() },
  errors: ['ROUTE_NOT_FOUND'],
  async handle({ service }) {
    if (service.metrics === null) {
      throw new KagziError(
        'ROUTE_NOT_FOUND',
        'This deployment has no Prometheus metrics; see its CloudWatch dashboard.',
      );
    }
    const { contentType, text } = await service.metrics();
    return { status: 200, body: text, headers: { 'content-type': contentType } };
  },
});
