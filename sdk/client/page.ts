export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string | null;
}
