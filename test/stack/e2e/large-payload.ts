/** Incompressible, and too large for the table. */
export const large = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
