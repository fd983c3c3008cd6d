/** 100 bytes of JSON. */
export const PAYLOAD = 'x'.repeat(98);

/** An instant as 100 bytes of JSON, and back. */
export const instantPayload = (at: number): string => String(at).padEnd(PAYLOAD.length);
export const readInstant = (payload: string): number => Number(payload);
