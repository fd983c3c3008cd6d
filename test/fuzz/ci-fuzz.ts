/** What `npm test` sends. */
export const CI_FUZZ = { requests: 5_000, seed: 1, from: 0 };
