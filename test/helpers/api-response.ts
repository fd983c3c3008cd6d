export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for none; the text itself where it is no JSON. */
  readonly body: unknown;
}
