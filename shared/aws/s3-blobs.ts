import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { checkBlobKey } from '../model/check-blob-key.ts';
import type { BlobInfo, Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { AwsRetry } from './aws-retry.ts';

const MAX_BATCH = 1000;

export interface S3BlobsParts {
  readonly client: S3Client;
  readonly bucket: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Needs to be allowed to list the bucket even to read from it: otherwise what is missing is forbidden. */
export class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #retry: AwsRetry;

  constructor({ client, bucket, clock, ids }: S3BlobsParts) {
    this.#client = client;
    this.#bucket = bucket;
    this.#retry = new AwsRetry(clock, ids);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    checkBlobKey(key);
    const request = { Bucket: this.#bucket, Key: key, Body: bytes, ContentType: 'application/octet-stream' };
    await this.#retry.send(() => this.#client.send(new PutObjectCommand(request)));
  }

  async get(key: string): Promise<Uint8Array | null> {
    checkBlobKey(key);
    return this.#retry.send(async () => {
      try {
        const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    });
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkBlobKey(key);
    for (let start = 0; start < keys.length; start += MAX_BATCH) {
      await this.#retry.drain(keys.slice(start, start + MAX_BATCH), async (rest) => {
        const Delete = { Objects: rest.map((Key) => ({ Key })), Quiet: true };
        const { Errors = [] } = await this.#client.send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete }));
        const failed = new Set(Errors.map(({ Key }) => Key));
        return rest.filter((key) => failed.has(key));
      });
    }
  }

  async list(options: { readonly prefix: string; readonly after?: string; readonly limit: number }): Promise<{
    blobs: readonly BlobInfo[];
    next: string | null;
  }> {
    const blobs: BlobInfo[] = [];
    let { after } = options;
    for (;;) {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: options.prefix,
        MaxKeys: Math.min(options.limit - blobs.length, MAX_BATCH),
        ...(after !== undefined && { StartAfter: after }),
      });
      const { Contents = [], IsTruncated = false } = await this.#retry.send(() => this.#client.send(command));
      for (const { Key = '', Size = 0, LastModified } of Contents)
        blobs.push({ key: Key, bytes: Size, modifiedAt: LastModified?.getTime() ?? 0 });
      const next = IsTruncated ? (blobs.at(-1)?.key ?? null) : null;
      if (next === null || blobs.length >= options.limit) return { blobs, next };
      after = next;
    }
  }
}
