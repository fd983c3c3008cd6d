import type { Contender, ContenderOptions } from '../speed/contender.ts';
import { monotonicMs } from '../speed/monotonic.ts';
import { instantPayload, PAYLOAD, readInstant } from '../speed/payload.ts';
import { noteStep, STEPS } from '../speed/step-notes.ts';
import { loadPackage } from './load-package.ts';

interface Context {
  run<T>(name: string, body: () => T | Promise<T>): Promise<T>;
  sleep(ms: number): Promise<void>;
}
interface Sdk {
  service(definition: object): object;
  serve(options: { services: object[]; port: number }): Promise<number>;
  readonly RestatePromise: { all<T>(promises: Promise<T>[]): Promise<T[]> };
}
interface Send {
  readonly invocationId: string;
}
interface Clients {
  connect(options: { url: string }): {
    serviceClient(definition: { name: string }): Record<string, (input: unknown) => Promise<unknown>>;
    serviceSendClient(definition: { name: string }): Record<string, (input: unknown, options: object) => Promise<Send>>;
    result(send: Send): Promise<unknown>;
  };
  readonly rpc: { sendOpts(options: { idempotencyKey: string }): object };
}

export interface RestateAddress {
  readonly ingress: string;
  readonly admin: string;
  readonly servicePort: number;
}

const NAME = 'bench';

/** Restate: its server beside this process, which serves the handlers and calls them through the ingress. */
export async function restate({ packages, address = '{}' }: ContenderOptions): Promise<Contender> {
  const { ingress, admin, servicePort } = JSON.parse(address) as RestateAddress;
  const sdk = await loadPackage<Sdk>(packages, '@restatedev/restate-sdk');
  const clients = await loadPackage<Clients>(packages, '@restatedev/restate-sdk-clients');
  const service = sdk.service({
    name: NAME,
    handlers: {
      tenSteps: async (ctx: Context, input: string) => {
        let last = input;
        for (let n = 0; n < STEPS; n++) last = await ctx.run(`step-${n}`, () => PAYLOAD);
        return last;
      },
      fanOut: async (ctx: Context, input: string) => {
        const steps = Array.from({ length: STEPS }, (_, n) => ctx.run(`step-${n}`, () => PAYLOAD));
        return (await sdk.RestatePromise.all(steps)).at(-1) ?? input;
      },
      firstBody: (ctx: Context) => ctx.run('first', () => instantPayload(monotonicMs())),
      sleeper: async (ctx: Context, ms: number) => {
        const before = await ctx.run('before', () => instantPayload(monotonicMs()));
        await ctx.sleep(ms);
        const after = await ctx.run('after', () => instantPayload(monotonicMs()));
        return readInstant(after) - readInstant(before) - ms;
      },
      interrupted: async (ctx: Context, noteFile: string) => {
        for (let n = 0; n < STEPS; n++) await ctx.run(`step-${n}`, () => noteStep(noteFile, n));
      },
    },
  });
  await sdk.serve({ services: [service], port: servicePort });
  await register(admin, `http://127.0.0.1:${servicePort}`);
  const connected = clients.connect({ url: ingress });
  const call = (handler: string, input: unknown): Promise<unknown> => {
    const client = connected.serviceClient({ name: NAME })[handler];
    if (client === undefined) throw new Error(`Restate has no handler ${handler}`);
    return client(input);
  };
  return {
    async tenSteps() {
      await call('tenSteps', PAYLOAD);
    },
    async fanOut() {
      await call('fanOut', PAYLOAD);
    },
    firstBodyAt: async () => readInstant((await call('firstBody', PAYLOAD)) as string),
    sleepLateness: async (ms) => (await call('sleeper', ms)) as number,
    async startInterrupted(noteFile) {
      const send = connected.serviceSendClient({ name: NAME })['interrupted'];
      return JSON.stringify(await send?.(noteFile, clients.rpc.sendOpts({ idempotencyKey: noteFile })));
    },
    async endInterrupted(run) {
      await connected.result(JSON.parse(run) as Send);
    },
    memoryBytes: async () => process.memoryUsage.rss(),
    close: async () => undefined,
  };
}

/** A process that was started again is known already. */
async function register(admin: string, uri: string): Promise<void> {
  const response = await fetch(`${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri }),
  });
  if (!response.ok && response.status !== 409) throw new Error(`Restate refused the service: ${await response.text()}`);
}
