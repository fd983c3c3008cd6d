import { type SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createWorker, defineWorkflow } from '../../sdk/index.ts';
import { CONTROL_QUEUE } from '../../shared/ports/queue.ts';
import { bodyOf, type Cloud, httpEvent, SCHEDULE_GROUP, startCloud } from '../helpers/cloud.ts';
import { DYNAMO_ENGINES } from '../helpers/dynamo-engines.ts';
import { jump, passUntil } from '../helpers/moving-time.ts';
import { skipLoudly } from '../helpers/skip-loudly.ts';

const kind = DYNAMO_ENGINES.find(({ launch }) => !('unavailable' in launch));
const TRACE_ID = '5759e988bd862e3fe1be46a994272793';
const XRAY = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const XRAY_VARIABLE = '_X_AMZN_TRACE_ID';
const SECRET = 'tell-nobody';

interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

if (kind === undefined) skipLoudly('a trace', 'there is no DynamoDB engine');
describe.skipIf(kind === undefined)('a trace', () => {
  let cloud: Cloud;
  let sends: MockInstance<SQSClient['send']>;
  const headers: (string | undefined)[] = [];
  /** Of every message sent: the stand-in for SQS keeps no system attributes. */
  const sent = (): (string | undefined)[] => {
    for (const [command] of sends.mock.calls as unknown as [SendMessageBatchCommand][]) {
      const entries = (command.input.Entries ?? []).filter(({ MessageBody }) => MessageBody !== undefined);
      headers.push(...entries.map((entry) => entry.MessageSystemAttributes?.AWSTraceHeader?.StringValue));
    }
    sends.mockClear();
    return headers;
  };
  const printed: string[] = [];
  const told: Line[] = [];

  beforeAll(async () => {
    if (kind === undefined) return;
    cloud = await startCloud(kind);
    sends = vi.spyOn(SQSClient.prototype, 'send');
    for (const level of ['log', 'debug', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((line: unknown) => void printed.push(String(line)));
    }
  });
  afterAll(async () => {
    delete process.env[XRAY_VARIABLE];
    vi.restoreAllMocks();
    await cloud?.stop();
  });

  const child = defineWorkflow({ type: 'child' }, async () => 'done');
  const flow = defineWorkflow({ type: 'flow' }, async (ctx, input: string) => {
    await ctx.step('say', ({ log, traceparent }) => {
      log.info('in the step', { length: input.length, traceparent });
    });
    await ctx.start('child', child, undefined);
    await ctx.sleep('nap', '1h');
    ctx.log.info('awake');
  });
  const worker = createWorker({
    workflows: [flow, child],
    log: (_level, message, fields) => void told.push({ message, fields }),
  }).lambda();
  const context = { awsRequestId: 'worker', getRemainingTimeInMillis: () => 300_000 } as Context;
  /** With the header that SQS would have kept. */
  const withHeader = (header: string | undefined, { Records }: SQSEvent): SQSEvent => ({
    Records: Records.map((record) => ({
      ...record,
      attributes: { ...record.attributes, ...(header !== undefined && { AWSTraceHeader: header }) },
    })),
  });
  const serve = (header: string | undefined) =>
    cloud.deliver('default', (event) => worker(withHeader(header, event), context));
  const start = async (headers: Readonly<Record<string, string>> = {}) => {
    const { handler } = await import('../../functions/api/handler.ts');
    const event = httpEvent('POST', '/v1/shop/runs', { workflow_type: 'flow', input: SECRET });
    return handler({ ...event, headers: { ...event.headers, ...headers } }, {});
  };
  const linesOf = (run: string | undefined) => told.filter(({ fields }) => fields['run_id'] === run);

  it('goes from a request over SQS into the steps, to children, and through a sleep on a schedule', async () => {
    process.env[XRAY_VARIABLE] = XRAY;
    const answer = await start();
    delete process.env[XRAY_VARIABLE];
    expect(answer.headers?.['x-trace-id']).toBe(TRACE_ID);
    expect(sent().splice(0)).toEqual([XRAY]);
    const runId = bodyOf(answer)['run_id'] as string;

    expect(await serve(XRAY)).toBe(1);
    expect(sent().splice(0)).toEqual([XRAY]);
    const traceparent = `00-${TRACE_ID}-53995c3f42cd8ad8-01`;
    expect(linesOf(runId)).toMatchObject([
      { message: 'in the step', fields: { trace_id: TRACE_ID, length: 11, traceparent } },
    ]);
    // The child ends, the run looks at its inbox, and goes back to sleep.
    expect(await serve(XRAY)).toBe(1);
    expect(sent().splice(0)).toEqual([XRAY]);
    expect(await serve(XRAY)).toBe(1);
    const [schedule] = cloud.scheduler.book.list({ group: SCHEDULE_GROUP }).schedules;
    expect(schedule?.Target.Input).toContain(XRAY);

    const { handler: wake } = await import('../../functions/wake/handler.ts');
    const at = Date.parse(`${schedule?.ScheduleExpression.slice(3, -1)}Z`);
    await jump(at - Date.now() - 60_000);
    await jump(60_000);
    await passUntil(async () => {
      await cloud.deliver(CONTROL_QUEUE, wake);
      return sent().length > 0;
    }, 30_000);
    expect(sent().splice(0)).toEqual([XRAY]);
    await passUntil(async () => {
      await serve(XRAY);
      return linesOf(runId).length > 1;
    }, 150_000);
    expect(linesOf(runId).at(-1)).toMatchObject({ message: 'awake', fields: { trace_id: TRACE_ID } });
    const requests = printed.filter((line) => line.includes('POST /v1/{namespace}/runs'));
    expect(requests.at(-1)).toContain(TRACE_ID);
    expect(printed.join('\n') + JSON.stringify(told)).not.toContain(SECRET);
  });

  it('of a caller goes before that of the front', async () => {
    process.env[XRAY_VARIABLE] = XRAY;
    sent().length = 0;
    const id = '0af7651916cd43dd8448eb211c80319c';
    await start({ traceparent: `00-${id}-b7ad6b7169203331-00` });
    delete process.env[XRAY_VARIABLE];
    expect(sent().splice(0)).toEqual(['Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=b7ad6b7169203331;Sampled=0']);
  });

  it('is each message its own in a batch, and one that cannot be read is none', async () => {
    await start();
    const [first] = sent().splice(0);
    await start();
    expect(first).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    told.length = 0;
    sent().length = 0;
    const given = [XRAY, 'Root=nonsense;Parent=<script>', XRAY];
    await cloud.deliver('default', (event) => {
      const Records = event.Records.flatMap((record, at) => withHeader(given[at], { Records: [record] }).Records);
      return worker({ Records }, context);
    });
    expect(told.map(({ fields }) => fields['trace_id'])).toEqual(
      expect.arrayContaining([TRACE_ID, undefined, TRACE_ID]),
    );
    expect(sent().filter((header) => header === XRAY)).toHaveLength(2);
    expect(sent().filter((header) => header === undefined)).toHaveLength(1);
  });
});
