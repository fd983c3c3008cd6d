/** A request as it goes over the wire: path and query are encoded. */
export interface SignableRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A signed request that the server would not have. */
export interface Refusal {
  /** What the signer added. */
  readonly signature: Readonly<Record<string, string>>;
  /** The server's time, if it said it. */
  readonly serverTime: number | null;
}

/** Proves who calls. */
export interface RequestSigner {
  /** The headers to add. */
  sign(request: SignableRequest): Promise<Readonly<Record<string, string>>>;
  /** Whether the same request may pass if it is signed again. */
  reconsider?(refusal: Refusal): Promise<boolean>;
}
