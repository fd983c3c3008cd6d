import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestTo,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessControl } from '../iam/access-control.ts';
import type { Access } from '../iam/evaluate.ts';
import type { AwsAnswer, AwsCall, AwsService } from './aws-service.ts';
import { SERVICE_NAMES, type ServiceName } from './aws-services.ts';

export interface ProxyParts {
  readonly control: AccessControl;
  readonly services: Readonly<Record<ServiceName, AwsService>>;
  readonly upstreams: Readonly<Partial<Record<ServiceName, string>>>;
  /** The role of whoever has these credentials. */
  readonly roleOf: (accessKeyId: string) => string | undefined;
}

/** Every AWS call of a function goes through here: it is let through if the function's role allows it. */
export class AwsProxy {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #servers = new Map<ServiceName, Server>();

  constructor(private readonly parts: ProxyParts) {}

  async open(): Promise<void> {
    for (const name of SERVICE_NAMES) {
      const server = createServer((request, response) => void this.#serve(name, request, response));
      server.keepAliveTimeout = 60_000;
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#servers.set(name, server);
    }
  }

  /** The environment that makes the SDK come here. */
  get environment(): Record<string, string> {
    return Object.fromEntries(
      [...this.#servers].map(([name, server]) => [
        `AWS_ENDPOINT_URL_${name}`,
        `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ]),
    );
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    for (const server of this.#servers.values()) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  async #serve(name: ServiceName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const call = await readCall(request);
      const answer = await this.#answer(name, call);
      if (answer === null) return await this.#forward(name, call, response);
      response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    }
  }

  /** Null if the stand-in is to answer. */
  async #answer(name: ServiceName, call: AwsCall): Promise<AwsAnswer | null> {
    const service = this.parts.services[name];
    const role = this.#roleOf(call);
    const accesses = service.accesses(call);
    if (!(await this.#mayDo(role, accesses))) {
      return service.refusal(`User: ${role} is not authorized to perform: ${accesses[0]?.action}`);
    }
    return service.answer?.(call) ?? null;
  }

  #mayDo(role: string, accesses: readonly Access[]): Promise<boolean> {
    return this.parts.control.mayDo(role, accesses);
  }

  #roleOf({ headers }: AwsCall): string {
    const [, accessKeyId = ''] = /Credential=([^/]+)\//.exec(String(headers['authorization'])) ?? [];
    const role = this.parts.roleOf(accessKeyId);
    if (role === undefined) throw new Error(`nobody has the access key ${accessKeyId}`);
    return role;
  }

  async #forward(name: ServiceName, call: AwsCall, response: ServerResponse): Promise<void> {
    const service = this.parts.services[name];
    const upstream = this.parts.upstreams[name];
    if (upstream === undefined) throw new Error(`there is no stand-in for ${name}`);
    const body = service.rewrite?.(call) ?? call.body;
    const { hostname, port } = new URL(upstream);
    const headers = { ...call.headers, host: `${hostname}:${port}`, 'content-length': String(body.byteLength) };
    delete (headers as Record<string, unknown>)['transfer-encoding'];
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = requestTo({ agent: this.#agent, hostname, port, method: call.method, path: call.target, headers });
      sent.on('response', resolve).on('error', reject).end(body);
      // A caller that has gone waits for nothing: a long poll must not take a message with it.
      response.on('close', () => sent.destroy());
    });
    const status = answer.statusCode ?? 502;
    const needs = service.afterwards?.(call, status)?.needs;
    if (needs !== undefined && !(await this.#mayDo(this.#roleOf(call), [needs]))) {
      answer.resume();
      const refused = service.refusal('Access Denied');
      response.writeHead(refused.status, { ...refused.headers }).end(refused.body);
      return;
    }
    response.writeHead(status, answer.headers);
    answer.pipe(response);
  }
}

async function readCall(request: IncomingMessage): Promise<AwsCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = 'GET', url = '/', headers } = request;
  return { method, target: url, headers, body: Buffer.concat(parts) };
}
