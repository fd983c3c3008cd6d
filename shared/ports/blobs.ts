export interface BlobInfo {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** Large payloads. Keys are `/`-separated parts of [A-Za-z0-9._-]; a key is written once with one content. */
export interface Blobs {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | null>;
  delete(keys: readonly string[]): Promise<void>;
  /** In key order, by UTF-8 bytes. */
  list(options: { readonly prefix: string; readonly after?: string; readonly limit: number }): Promise<{
    readonly blobs: readonly BlobInfo[];
    readonly next: string | null;
  }>;
}
