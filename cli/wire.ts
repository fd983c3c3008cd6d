/** The answers of the HTTP API, as far as they are shown. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly stack: string | null;
}

export interface WireRun {
  readonly run_id: string;
  readonly external_id: string | null;
  readonly workflow_type: string;
  readonly version: string;
  readonly task_queue: string;
  readonly status: 'PENDING' | 'RUNNING' | 'SLEEPING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly parent: { readonly run_id: string; readonly step_id: string } | null;
  readonly attempts: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly available_at: string | null;
  readonly finished_at: string | null;
  readonly locked_by: string | null;
  readonly cancel_reason: string | null;
  readonly error: WireError | null;
  readonly input?: unknown;
  readonly output?: unknown;
}

export interface WireStep {
  readonly step_id: string;
  readonly kind: string;
  readonly status: string;
  readonly attempt: number;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly next_retry_at: string | null;
  readonly wake_at: string | null;
  readonly child_run_id: string | null;
  readonly error: WireError | null;
  readonly failed_attempts: readonly {
    readonly attempt: number;
    readonly started_at: string;
    readonly finished_at: string;
    readonly message: string;
  }[];
  readonly output?: unknown;
}

export interface WireWorker {
  readonly worker_id: string;
  readonly name: string | null;
  readonly hostname: string | null;
  readonly pid: number | null;
  readonly task_queue: string;
  readonly workflow_types: readonly string[];
  readonly status: string;
  readonly health: { readonly status: string };
  readonly last_heartbeat_at: string;
  readonly active_count: number;
  readonly max_concurrent: number;
}

export interface WireTaskQueue {
  readonly name: string;
  readonly in_process_types: readonly string[] | null;
}

export interface WireDeadLetter {
  readonly id: string;
  readonly task_queue: string;
  readonly workflow_type: string;
  readonly run_id: string | null;
  readonly died_at: string;
}

export interface WirePage {
  readonly next_page_token: string | null;
}

export const hasEnded = ({ status }: Pick<WireRun, 'status'>): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

/** What the engine records for itself is no step of the workflow's. */
export const isOwnStep = ({ step_id }: Pick<WireStep, 'step_id'>): boolean => !step_id.startsWith('$');

export const runPath = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;
