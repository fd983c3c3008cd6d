export interface ClientSettings {
  readonly region?: string;
  /** Another engine than AWS's own; any credentials will do there. */
  readonly endpoint?: string;
}

const REQUEST_MS = 5_000;

/** The SDK's own retries are off: the adapters retry, and must know whether a request may have got through before. */
export function clientConfig({ region, endpoint }: ClientSettings, requestTimeout = REQUEST_MS) {
  return {
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout, throwOnRequestTimeout: true },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && {
      endpoint,
      region: region ?? 'local',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  };
}
