import type { Ledger } from './ledger.ts';

interface Told {
  readonly task?: { readonly run_id: string } | null;
  readonly should_execute?: boolean;
  readonly idempotency_key?: string;
  readonly suspended?: boolean;
  readonly lost_runs?: readonly { readonly run_id: string }[];
}

export interface ObservedFetch {
  readonly fetch: typeof fetch;
  /** When the begin that let this step be executed was sent. */
  readonly provenFrom: (idempotencyKey: string) => number;
}

const ENDINGS: ReadonlySet<string> = new Set(['complete', 'fail', 'suspend', 'release', 'cancelled']);

/** What a polling worker's calls say about the runs it holds, as the worker itself hears it. */
export function observedFetch(ledger: Ledger, onTook: () => void): ObservedFetch {
  const proofs = new Map<string, number>();
  const note = (what: 'took' | 'left', runId: string): void => ledger.note({ what, runId, at: Date.now() });

  const hear = (path: string, sentAt: number, status: number, told: Told): void => {
    const [, runId = '', ofStep, call = ''] = /\/runs\/([^/]+)(\/steps)?\/(\w+)$/.exec(path) ?? [];
    if (told.task != null) {
      note('took', told.task.run_id);
      onTook();
    }
    if (told.should_execute === true && told.idempotency_key !== undefined) proofs.set(told.idempotency_key, sentAt);
    for (const lost of told.lost_runs ?? []) note('left', lost.run_id);
    if (runId === '') return;
    const ended = ofStep === undefined && ENDINGS.has(call) && status === 200 && told.suspended !== false;
    if (ended || status === 404 || status === 409) note('left', runId);
  };

  return {
    async fetch(input, init) {
      const sentAt = Date.now();
      const response = await fetch(input, init);
      const text = await response.text();
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      hear(path, sentAt, response.status, text.startsWith('{') ? (JSON.parse(text) as Told) : {});
      return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
    },
    provenFrom: (key) => {
      const proof = proofs.get(key);
      if (proof === undefined) throw new Error('a body has started that no begin has allowed');
      return proof;
    },
  };
}
