/** One clock for all processes of the machine, in milliseconds. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
