/** Where a payload's JSON text lies. */
export type StoredPayload =
  | { readonly at: 'inline'; readonly text: string }
  | { readonly at: 'packed'; readonly deflated: Uint8Array }
  | { readonly at: 'item'; readonly name: string }
  | { readonly at: 'blob'; readonly key: string };
