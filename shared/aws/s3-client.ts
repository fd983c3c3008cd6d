import { S3Client } from '@aws-sdk/client-s3';
import { type ClientSettings, clientConfig } from './client-settings.ts';

export interface S3ClientSettings extends ClientSettings {
  /** The bucket in the path, not in the host name: for engines that have one host only. */
  readonly pathStyle?: boolean;
}

const REQUEST_MS = 20_000;

export const createS3Client = (settings: S3ClientSettings = {}): S3Client =>
  new S3Client({ ...clientConfig(settings, REQUEST_MS), forcePathStyle: settings.pathStyle ?? false });
