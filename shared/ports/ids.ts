export interface Ids {
  /** UUID v7: sorts by the time it was made. */
  uuid(now: number): string;
  /** 128 unguessable bits, URL-safe. */
  token(): string;
  /** 60 random bits, URL-safe: tells one write from another. */
  writeId(): string;
  /** In [0, 1), for jitter. */
  random(): number;
}
