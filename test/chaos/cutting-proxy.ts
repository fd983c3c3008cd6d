import { connect, createServer, type Server, type Socket } from 'node:net';
import { SentRequest } from './sent-request.ts';

/** Where a connection is cut, always after the whole request went to the engine. */
export const CUTS = ['after the request', 'before the answer', 'in the answer'] as const;
export type Cut = (typeof CUTS)[number];

export interface ProxyParts {
  /** Asked for every request. */
  readonly decide: () => Cut | null;
  readonly onCut: (cut: Cut) => void;
}

/** Stands between workers and the engine, wherever that listens at the moment. */
export class CuttingProxy {
  /** Requests that write something, sent on and not answered yet. */
  #writing = 0;
  #upstream: number | null = null;
  #onWrite: (() => void) | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async listen(parts: ProxyParts): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(parts);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(private readonly parts: ProxyParts) {
    this.#server = createServer({ noDelay: true }, (client) => this.#serve(client));
  }

  get url(): string {
    const { port } = this.#server.address() as { readonly port: number };
    return `http://127.0.0.1:${port}`;
  }

  get writing(): number {
    return this.#writing;
  }

  /** Null while there is none: callers are hung up on. */
  set upstream(url: string | null) {
    this.#upstream = url === null ? null : Number(new URL(url).port);
  }

  /** Answers when the next write has just been sent on. */
  nextWrite(): Promise<void> {
    return new Promise((resolve) => {
      this.#onWrite = resolve;
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(client: Socket): void {
    if (this.#upstream === null) {
      client.resetAndDestroy();
      return;
    }
    const engine = connect({ port: this.#upstream, host: '127.0.0.1', noDelay: true });
    let request: SentRequest | null = null;
    let cut: Cut | null = null;
    const answered = (): void => {
      if (request?.isWrite === true && request.isWhole) this.#writing -= 1;
      request = null;
    };
    const hangUp = (): void => {
      answered();
      for (const socket of [client, engine]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    const cutHere = (): void => {
      if (cut !== null) this.parts.onCut(cut);
      hangUp();
    };
    for (const socket of [client, engine]) {
      this.#sockets.add(socket);
      socket.on('error', hangUp);
      socket.on('close', hangUp);
    }
    client.on('data', (chunk: Buffer) => {
      if (request === null) cut = this.parts.decide();
      request ??= new SentRequest();
      request.add(chunk);
      const { isWhole, isWrite } = request;
      if (isWhole && isWrite) this.#writing += 1;
      engine.write(chunk, () => {
        if (isWhole && isWrite) this.#wrote();
        if (isWhole && cut === 'after the request') cutHere();
      });
    });
    engine.on('data', (chunk: Buffer) => {
      if (request !== null && cut === 'before the answer') return cutHere();
      if (request !== null && cut === 'in the answer') {
        client.write(chunk.subarray(0, Math.floor(chunk.length / 2)), cutHere);
        return;
      }
      answered();
      client.write(chunk);
    });
  }

  #wrote(): void {
    this.#onWrite?.();
    this.#onWrite = null;
  }
}
