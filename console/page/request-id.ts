import { useRef } from 'preact/hooks';

/** `crypto.randomUUID` is there in secure contexts alone, which a server in the network without TLS is not. */
const newRequestId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Does something once: asked again for the same after an answer was lost, it calls with the same id. */
export function useOnce<T>(ask: (requestId: string) => Promise<T>): (question: string) => Promise<T> {
  const open = useRef<{ readonly question: string; readonly id: string } | null>(null);
  return async (question) => {
    if (open.current?.question !== question) open.current = { question, id: newRequestId() };
    const answer = await ask(open.current.id);
    open.current = null;
    return answer;
  };
}
