import type * as z from 'zod';
import type { ErrorCode } from '../../shared/model/errors.ts';
import type { Engine } from '../../shared/store/engine.ts';

/** What a call may reach besides its request. */
export interface ApiContext {
  /** Its telemetry carries the ids of the request. */
  readonly engine: Engine;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly service: ApiService;
}

/** A workflow type that a worker in the process of the engine serves. */
export interface ServedType {
  readonly taskQueue: string;
  readonly workflowType: string;
  readonly versions: readonly string[];
  /** JSON. */
  readonly example: string | undefined;
}

/** What the process that serves the API knows of itself. */
export interface ApiService {
  readonly version: string;
  readonly features: readonly string[];
  /** What workers in this process serve. Left out where none are: Lambda functions come and go. */
  readonly servedHere?: (namespace: string) => readonly ServedType[];
  /** Null where nobody can scrape: the cloud has CloudWatch. */
  readonly metrics: (() => Promise<{ readonly contentType: string; readonly text: string }>) | null;
  /** The same over the last hour; left out where nobody keeps it. */
  readonly metricsHistory?: () => MetricsHistory;
}

/** Samples at even distances, the newest last; null where none was taken. */
export interface MetricsHistory {
  readonly intervalMs: number;
  readonly endAt: number;
  /** What was counted between a sample and the one before. */
  readonly counters: Readonly<Record<string, readonly (number | null)[]>>;
  readonly gauges: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface ApiAnswer<Body = unknown> {
  readonly status: number;
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

export const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** Who may call: anybody who reaches the server, its users, or its administrators only. */
export type Access = 'open' | 'user' | 'admin';

/** One call of the API: its place, its schemas and what it does. The route table, the validation and OpenAPI come from it. */
export interface Call<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: Method;
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly access: Access;
  readonly params: Params;
  readonly query: Query;
  /** Left out where the call takes none. */
  readonly body?: Body;
  /** What it answers, by status; null for no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  readonly errors: readonly ErrorCode[];
  handle(
    context: ApiContext,
    request: {
      readonly params: z.output<Params>;
      readonly query: z.output<Query>;
      readonly body: z.output<Body>;
    },
  ): Promise<ApiAnswer>;
}

export const defineCall = <Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  call: Call<Params, Query, Body>,
): Call => call as unknown as Call;
