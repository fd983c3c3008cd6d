import type { Engine } from '../../shared/store/engine.ts';
import { checkOptions, InvalidArgumentError, isDuration, isRecord, isWholeNumber } from '../check-options.ts';
import { Client } from './client.ts';
import { CONNECTION } from './connection-checks.ts';
import { embeddedTransport } from './embedded-transport.ts';
import { HttpApi, type HttpApiOptions } from './http-api.ts';
import { httpTransport } from './http-transport.ts';

export type ClientOptions = HttpApiOptions | { readonly embedded: Engine; readonly namespace?: string };

const OPTIONS = {
  ...CONNECTION,
  embedded: isRecord,
  timeout: isDuration,
  attempts: isWholeNumber(1, Number.POSITIVE_INFINITY),
};

/** Over HTTP to an engine anywhere, or directly to one in this process. */
export function createClient(options: ClientOptions): Client {
  const given = options as Partial<Record<'url' | 'embedded', unknown>> | null | undefined;
  if (given?.url === undefined && given?.embedded === undefined) {
    throw new InvalidArgumentError('createClient needs { url } of an engine, or { embedded: engine }');
  }
  checkOptions('createClient', options, OPTIONS);
  if ('embedded' in options)
    return new Client(embeddedTransport(options.embedded, options.namespace ?? 'default'), options.embedded.clock);
  return new Client(httpTransport(new HttpApi(options)));
}
