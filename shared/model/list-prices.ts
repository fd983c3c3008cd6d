/** us-east-1, on demand, in dollars per unit, request or GB-second. */
export const LIST_PRICES = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  queueCall: 0.4e-6,
  timerCall: 1e-6,
  httpApiRequest: 1e-6,
  lambdaRequest: 0.2e-6,
  lambdaGbSecond: 0.0000133334,
} as const;
