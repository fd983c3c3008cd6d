import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { type ClientSettings, clientConfig } from './client-settings.ts';

export const createSchedulerClient = (settings: ClientSettings = {}): SchedulerClient =>
  new SchedulerClient(clientConfig(settings));
