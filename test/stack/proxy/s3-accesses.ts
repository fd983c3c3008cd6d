import type { Access } from '../iam/evaluate.ts';

/** What a call of S3, with the bucket in its path, asks IAM for. */
export function s3Accesses(method: string, target: string, body: string): readonly Access[] {
  const url = new URL(target, 'http://s3');
  const [, bucket = '', ...rest] = url.pathname.split('/');
  const key = rest.map(decodeURIComponent).join('/');
  const bucketArn = `arn:aws:s3:::${bucket}`;
  const object = (action: string, name = key): Access => ({ action: `s3:${action}`, resource: `${bucketArn}/${name}` });
  if (key === '' && method === 'GET') return [listAccess(bucket, url.searchParams.get('prefix') ?? '')];
  if (key === '' && method === 'POST' && url.searchParams.has('delete')) {
    return [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => object('DeleteObject', unescaped(name)));
  }
  if (key !== '' && method === 'PUT') return [object('PutObject')];
  if (key !== '' && (method === 'GET' || method === 'HEAD')) return [object('GetObject')];
  if (key !== '' && method === 'DELETE') return [object('DeleteObject')];
  throw new Error(`the test bed does not know ${method} ${target} of S3`);
}

export const listAccess = (bucket: string, prefix: string): Access => ({
  action: 's3:ListBucket',
  resource: `arn:aws:s3:::${bucket}`,
  conditions: { 's3:prefix': prefix },
});

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescaped = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
