import type { Engine } from '../../shared/store/engine.ts';
import { Client } from './client.ts';
import { embeddedTransport } from './embedded-transport.ts';
import { HttpApi, type HttpApiOptions } from './http-api.ts';
import { httpTransport } from './http-transport.ts';

export type ClientOptions = HttpApiOptions | { readonly embedded: Engine; readonly namespace?: string };

/** Over HTTP to an engine anywhere, or directly to one in this process. */
export function createClient(options: ClientOptions): Client {
  if ('embedded' in options)
    return new Client(embeddedTransport(options.embedded, options.namespace ?? 'default'), options.embedded.clock);
  return new Client(httpTransport(new HttpApi(options)));
}
