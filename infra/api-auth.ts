/** How callers of the HTTP API prove who they are, and what binds them to namespaces. */
export type ApiAuth =
  /** Requests signed with AWS credentials; a caller's policy names the namespaces, see `grantCall`. */
  | { readonly mode: 'iam' }
  /** Bearer tokens of an issuer; a claim of theirs names the namespaces. */
  | {
      readonly mode: 'jwt';
      readonly issuer: string;
      readonly audience: readonly string[];
      /** A list, or names separated by spaces; `*` stands for all, and for administrators. `kagzi_namespaces`, if not given. */
      readonly namespacesClaim?: string | undefined;
    };

/** What the function must know of it. */
export const authEnvironment = (auth: ApiAuth): Record<string, string> =>
  auth.mode === 'iam'
    ? { KAGZI_AUTH: 'iam' }
    : { KAGZI_AUTH: 'jwt', KAGZI_NAMESPACES_CLAIM: auth.namespacesClaim ?? 'kagzi_namespaces' };
