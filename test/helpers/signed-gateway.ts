import { createServer, type IncomingMessage, request as requestTo, type Server, type ServerResponse } from 'node:http';
import { type Identity, type RawRequest, verifySigV4 } from './verify-sigv4.ts';

/** A request that reached the gateway. */
export interface Seen extends RawRequest {
  readonly accessKeyId: string | undefined;
  readonly signature: string | undefined;
  readonly status: number;
}

type Answer = (request: RawRequest) => { readonly status: number; readonly headers?: Record<string, string> } | null;

/** What API Gateway with IAM does in front of an engine: lets through what is rightly signed. */
export class SignedGateway {
  readonly region = 'eu-central-1';
  readonly seen: Seen[] = [];
  /** Who may call; keys can come and go. */
  readonly identities = new Map<string, Identity>();
  /** How far its clock is ahead of this machine's. */
  aheadMs = 0;
  /** Answers instead of the engine, after the signature was found right; null lets the request through. */
  answer: Answer = () => null;
  readonly #server: Server;

  static async open(upstream: string): Promise<SignedGateway> {
    const gateway = new SignedGateway(upstream);
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  private constructor(private readonly upstream: string) {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get url(): string {
    const { port } = this.#server.address() as { readonly port: number };
    return `http://127.0.0.1:${port}`;
  }

  /** What was asked for below `/v1`, most recent last. */
  targets(): string[] {
    return this.seen.map(({ target }) => target).filter((target) => target.startsWith('/v1/'));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRaw(incoming);
    const now = Date.now() + this.aheadMs;
    const refused = verifySigV4(request, {
      identityOf: (accessKeyId) => this.identities.get(accessKeyId),
      region: this.region,
      service: 'execute-api',
      now,
    });
    response.setHeader('date', new Date(now).toUTCString());
    const answer = refused === null ? this.answer(request) : { status: 403 };
    this.#note(request, answer?.status ?? 200);
    if (answer === null) return this.#forward(incoming, request, response);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify({ message: refused ?? 'Service Unavailable' }));
  }

  #note(request: RawRequest, status: number): void {
    const [, authorization = ''] = request.headers.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
    const [, accessKeyId] = /Credential=([^/]+)/.exec(authorization) ?? [];
    const [, signature] = /Signature=(\w+)/.exec(authorization) ?? [];
    this.seen.push({ ...request, accessKeyId, signature, status });
  }

  #forward(incoming: IncomingMessage, { method, target, body }: RawRequest, response: ServerResponse): void {
    const { hostname, port } = new URL(this.upstream);
    const { host: _host, authorization: _signature, ...headers } = incoming.headers;
    const outgoing = requestTo({ hostname, port, method, path: target, headers }, (answer) => {
      const { date: _date, ...answered } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, answered);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  }
}

export async function readRaw(incoming: IncomingMessage): Promise<RawRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { rawHeaders } = incoming;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  return { method: incoming.method ?? '', target: incoming.url ?? '', headers, body: Buffer.concat(chunks) };
}
