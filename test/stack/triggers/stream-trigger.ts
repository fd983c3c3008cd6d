import type { AccessControl } from '../iam/access-control.ts';
import { type LambdaFunction, ThrottledError } from '../lambda/lambda-function.ts';
import type { StreamChange, TableStream } from '../standins/table-stream.ts';
import { matchesPattern } from './matches-pattern.ts';

export interface StreamTriggerParts {
  readonly control: AccessControl;
  readonly stream: TableStream;
  readonly streamArn: string;
  readonly target: LambdaFunction;
  readonly batchSize: number;
  readonly reportsFailures: boolean;
  readonly patterns: readonly unknown[];
}

interface BatchResponse {
  readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[];
}

const POLL_MS = 200;
const RETRY_MS = 1_000;
const READS = ['DescribeStream', 'GetRecords', 'GetShardIterator'];

/**
 * An event source mapping on a stream: reads it in order with the function's own role, and invokes the function with the
 * changes that fit a filter. A batch that fails, or what is left of it from the first change reported, comes again.
 */
export class StreamTrigger {
  readonly #stop = new AbortController();
  #loop: Promise<void> | null = null;
  #waiting: readonly StreamChange[] = [];

  constructor(private readonly parts: StreamTriggerParts) {}

  start(): void {
    this.#loop = this.#read();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #read(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#waiting.length === 0) this.#waiting = await this.#next();
        if (this.#waiting.length > 0) await this.#deliver();
        else await pause(POLL_MS);
      } catch {
        // The stand-in is going away, or the function failed.
        await pause(RETRY_MS);
      }
    }
  }

  async #next(): Promise<readonly StreamChange[]> {
    const { control, target, streamArn, stream, patterns } = this.parts;
    const reads = READS.map((operation) => ({ action: `dynamodb:${operation}`, resource: streamArn }));
    const accesses = [{ action: 'dynamodb:ListStreams', resource: '*' }, ...reads];
    if (!(await control.mayDo(target.parts.roleArn, accesses))) return [];
    const fits = (change: StreamChange): boolean =>
      patterns.length === 0 || patterns.some((pattern) => matchesPattern(pattern, change));
    return (await stream.next()).filter(fits);
  }

  async #deliver(): Promise<void> {
    const { target, batchSize, reportsFailures } = this.parts;
    const Records = this.#waiting.slice(0, batchSize);
    try {
      const answer = (await target.invoke({ Records })) as BatchResponse | undefined;
      const failed = reportsFailures
        ? (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier)
        : [];
      const first = Records.findIndex(({ dynamodb }) => failed.includes(dynamodb.SequenceNumber));
      this.#waiting = this.#waiting.slice(first === -1 ? Records.length : first);
      if (first !== -1) await pause(RETRY_MS);
    } catch (error) {
      if (!(error instanceof ThrottledError)) throw error;
      await pause(RETRY_MS);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
