import type { LogFields, WorkflowLog } from '../context.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogSink = (level: LogLevel, message: string, fields: LogFields) => void;

/** Adds these fields to every entry; they win over the author's of the same name. */
export const withFields =
  (sink: LogSink, bound: LogFields): LogSink =>
  (level, message, fields) =>
    sink(level, message, { ...fields, ...bound });

/** What the author logs through. */
export function workflowLog(sink: LogSink, isSilent: () => boolean = () => false): WorkflowLog {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (!isSilent()) sink(level, message, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
