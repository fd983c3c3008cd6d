import * as z from 'zod';
import { type Call, defineCall } from './call.ts';
import { noParams, noQuery } from './fields.ts';
import { openApiDocument } from './openapi-document.ts';

/** The call that answers the OpenAPI document, itself included. */
export function describeApi(calls: readonly Call[]): Call {
  let document: object | null = null;
  const call: Call = defineCall({
    method: 'GET',
    path: '/openapi.json',
    name: 'describeApi',
    summary: 'This document',
    access: 'open',
    params: noParams,
    query: noQuery,
    answers: { 200: z.record(z.string(), z.unknown()) },
    errors: [],
    async handle({ service }) {
      document ??= openApiDocument([...calls, call], service.version);
      return { status: 200, body: document };
    },
  });
  return call;
}
