import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { S3Blobs } from '../../shared/aws/s3-blobs.ts';
import { createS3Client } from '../../shared/aws/s3-client.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { SystemIds } from '../../shared/system/system-ids.ts';
import { type Fauxqs, startFauxqs } from '../helpers/fauxqs.ts';
import { restless } from '../helpers/restless-clock.ts';

let fauxqs: Fauxqs;
let client: S3Client;
let blobs: S3Blobs;
beforeAll(async () => {
  fauxqs = await startFauxqs();
});
afterAll(() => fauxqs.stop());
beforeEach(async () => {
  client = createS3Client({ endpoint: fauxqs.endpoint, pathStyle: true });
  const bucket = await fauxqs.createBucket();
  blobs = new S3Blobs({ client, bucket, clock: restless(new SystemClock()), ids: new SystemIds() });
});

type Handler = (args: { readonly input: object }) => Promise<object>;
function intercept(change: (input: Record<string, unknown>, next: () => Promise<object>) => Promise<object>): void {
  client.middlewareStack.add(
    ((next: Handler) => (args: { readonly input: Record<string, unknown> }) =>
      change(args.input, () => next(args))) as never,
    { step: 'initialize' },
  );
}

const failing = (name: string, status: number): Error =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status, attempts: 1 } });
const bytes = new TextEncoder().encode('x');

describe('S3Blobs', () => {
  it('deletes by the thousand', async () => {
    const sizes: number[] = [];
    intercept((input, next) => {
      sizes.push((input['Delete'] as { Objects: object[] }).Objects.length);
      return next();
    });
    await blobs.delete(Array.from({ length: 2_005 }, (_, n) => `many/${n}`));
    expect(sizes).toEqual([1_000, 1_000, 5]);
  });

  it('deletes again what was refused, and says so if it stays', async () => {
    const asked: number[] = [];
    let refusals = 1;
    intercept(async (input) => {
      const { Objects } = input['Delete'] as { Objects: { Key: string }[] };
      asked.push(Objects.length);
      return { output: { Errors: refusals-- > 0 ? [{ Key: Objects.at(-1)?.Key, Code: 'InternalError' }] : [] } };
    });
    await blobs.delete(['a/1', 'a/2']);
    expect(asked).toEqual([2, 1]);
    refusals = 100;
    await expect(blobs.delete(['a/1'])).rejects.toMatchObject({ failure: 'unavailable' });
  });

  it('goes on when a page is shorter than asked', async () => {
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4', 'a/5']) await blobs.put(key, bytes);
    intercept((input, next) => {
      input['MaxKeys'] = Math.min(2, input['MaxKeys'] as number);
      return next();
    });
    const keys = async (limit: number) => {
      const page = await blobs.list({ prefix: 'a/', limit });
      return [page.blobs.map(({ key }) => key).join(), page.next];
    };
    expect(await keys(10)).toEqual(['a/1,a/2,a/3,a/4,a/5', null]);
    expect(await keys(3)).toEqual(['a/1,a/2,a/3', 'a/3']);
  });

  it.each([
    [failing('SlowDown', 503), 'unavailable'],
    [failing('AccessDenied', 403), 'unavailable'],
    [failing('InternalError', 500), 'unknown'],
    [failing('NoSuchBucket', 404), 'unavailable'],
  ])('tells failures apart: %s', async (error, failure) => {
    intercept(() => Promise.reject(error));
    await expect(blobs.put('a', bytes)).rejects.toMatchObject({ name: 'PortError', failure });
    await expect(blobs.get('a')).rejects.toMatchObject({ name: 'PortError', failure });
  });
});
