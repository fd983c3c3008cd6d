export interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly context: Readonly<Record<string, string>>;
  /** By the clock of the test bed. */
  readonly deadline: number;
}

/** What an execution environment tells its host. */
export type RuntimeMessage =
  | { readonly what: 'ready' }
  | { readonly what: 'result'; readonly id: string; readonly result: unknown }
  | { readonly what: 'error'; readonly id: string; readonly error: string };
