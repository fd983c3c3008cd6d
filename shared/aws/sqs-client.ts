import { SQSClient } from '@aws-sdk/client-sqs';
import { type ClientSettings, clientConfig } from './client-settings.ts';

/** Longer than the longest long poll. */
const REQUEST_MS = 25_000;

/** Requests go to the region's endpoint, or to the one the environment names, whatever host a queue's URL has. */
export const createSqsClient = (settings: ClientSettings = {}): SQSClient =>
  new SQSClient({ ...clientConfig(settings, REQUEST_MS), useQueueUrlAsEndpoint: false });
