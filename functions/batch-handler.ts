import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { flushing, type LambdaTelemetry } from './lambda-telemetry.ts';

export type BatchHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** Serves each message of a batch for itself: one that fails is reported alone, so that SQS delivers it again. */
export const batchHandler = (telemetry: LambdaTelemetry, serve: (record: SQSRecord) => Promise<void>): BatchHandler =>
  flushing(telemetry, async ({ Records }) => {
    const failed = await Promise.all(
      Records.map(async (record) => {
        try {
          await serve(record);
          return [];
        } catch (error) {
          telemetry.log('error', 'a message could not be served; it comes again', {
            message_id: record.messageId,
            error: error instanceof Error ? error.message : String(error),
          });
          return [{ itemIdentifier: record.messageId }];
        }
      }),
    );
    return { batchItemFailures: failed.flat() };
  });
