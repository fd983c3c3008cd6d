/** A change of an item, as a stream of DynamoDB has it. */
export interface StreamChange {
  readonly eventID?: string;
  readonly eventName: string;
  readonly dynamodb: { readonly SequenceNumber: string } & Readonly<Record<string, unknown>>;
}

interface Page {
  readonly Records?: readonly StreamChange[];
  readonly NextShardIterator?: string;
}

/** Local engines look at neither, but one of them wants them to be there. */
const SIGNED =
  'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

/** The changes of a table, from its creation on, in their order. */
export class TableStream {
  #iterators: Map<string, string> | null = null;

  constructor(
    private readonly endpoint: string,
    private readonly tableName: string,
  ) {}

  /** What has changed since it was last asked. */
  async next(): Promise<readonly StreamChange[]> {
    this.#iterators ??= await this.#open();
    const changes: StreamChange[] = [];
    for (const [shard, ShardIterator] of this.#iterators) {
      const { Records = [], NextShardIterator } = await this.#call<Page>('GetRecords', { ShardIterator });
      changes.push(...Records);
      if (NextShardIterator === undefined) this.#iterators.delete(shard);
      else this.#iterators.set(shard, NextShardIterator);
    }
    return changes;
  }

  async #open(): Promise<Map<string, string>> {
    const { Streams: [stream] = [] } = await this.#call<{ Streams?: readonly { StreamArn: string }[] }>('ListStreams', {
      TableName: this.tableName,
    });
    if (stream === undefined) throw new Error(`${this.tableName} has no stream`);
    const { StreamArn } = stream;
    const { StreamDescription } = await this.#call<{
      StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] };
    }>('DescribeStream', { StreamArn });
    const iterators = new Map<string, string>();
    for (const { ShardId } of StreamDescription.Shards) {
      const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
      const { ShardIterator } = await this.#call<{ ShardIterator: string }>('GetShardIterator', from);
      iterators.set(ShardId, ShardIterator);
    }
    return iterators;
  }

  async #call<Answer>(operation: string, body: object): Promise<Answer> {
    const response = await fetch(this.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': '20260101T000000Z',
        authorization: SIGNED,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }
}
