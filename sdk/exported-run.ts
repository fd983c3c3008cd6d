import type { StepKind } from '../shared/model/step.ts';
import type { Trace } from '../shared/model/trace.ts';

/** A finished run with its history, as `kagzi export` writes it: the part that a replay needs. Payloads are as stored. */
export interface ExportedRun {
  readonly incarnation?: string;
  /** Of the owner that ended it. */
  readonly epoch?: number;
  readonly run: {
    readonly namespace: string;
    readonly run_id: string;
    readonly workflow_type: string;
    readonly version: string;
    readonly task_queue: string;
    readonly status: string;
    readonly external_id: string | null;
    /** Absent in exports of versions before they were in it. */
    readonly schedule_id?: string | null;
    readonly fire_at?: string | null;
    readonly parent?: { readonly run_id: string } | null;
    readonly attempts?: number;
    readonly created_at: string;
    readonly started_at: string | null;
    readonly input?: unknown;
    readonly output?: unknown;
  };
  readonly steps: readonly ExportedStep[];
}

export interface ExportedStep {
  readonly step_id: string;
  readonly kind: StepKind;
  readonly status: string;
  readonly attempt: number;
  readonly position?: number | null;
  readonly order?: number | null;
  /** Of an export: what each owner said of it. */
  readonly traces?: readonly Trace[];
  readonly started_at?: string;
  readonly finished_at: string | null;
  readonly wake_at: string | null;
  readonly child_run_id: string | null;
  readonly child_type?: string | null;
  readonly output?: unknown;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly non_retryable: boolean;
    readonly stack: string | null;
    readonly details?: unknown;
  } | null;
}
