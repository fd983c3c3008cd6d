import * as z from 'zod';
import { defineCall } from '../call.ts';
import { noParams, noQuery } from '../fields.ts';

const API_VERSION = 'v1';
const MIN_SDK_VERSION = '0.1.0';

export const getInfo = defineCall({
  method: 'GET',
  path: '/info',
  name: 'getInfo',
  summary: 'Version, API version, features and the oldest SDK that is served',
  access: 'open',
  params: noParams,
  query: noQuery,
  answers: {
    200: z.strictObject({
      version: z.string(),
      api_version: z.string(),
      supported_features: z.array(z.string()),
      min_sdk_version: z.string(),
    }),
  },
  errors: [],
  async handle({ service }) {
    return {
      status: 200,
      body: {
        version: service.version,
        api_version: API_VERSION,
        supported_features: [...service.features],
        min_sdk_version: MIN_SDK_VERSION,
      },
    };
  },
});
