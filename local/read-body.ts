import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from '../functions/api/read-request.ts';
import { KagziError } from '../shared/model/errors.ts';

/** Of a request, as text. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const bytes = await collect(request);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new KagziError('INVALID_ARGUMENT', 'The body is not valid UTF-8.');
  }
}

/** What is too large is read to its end, and dropped: a caller that is still sending would not read the answer. */
function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.once('end', () => {
      if (bytes <= MAX_BODY_BYTES) resolve(Buffer.concat(chunks));
      else reject(tooLarge());
    });
    request.once('close', () => reject(new Error('the caller hung up')));
    request.once('error', reject);
  });
}

const tooLarge = (): KagziError =>
  new KagziError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
    max_bytes: MAX_BODY_BYTES,
  });
