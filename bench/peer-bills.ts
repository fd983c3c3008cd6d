/** What the same million runs of ten steps cost on other services, from their list prices in us-east-1. */
export interface PeerBill {
  readonly service: string;
  readonly dollars: number;
  /** How it comes about. */
  readonly from: string;
}

const STEPS = 10;
const RUNS = 1e6;

/** Dollars for a million. */
const MILLION = { stepFunctionsTransition: 25, durableOperation: 8, temporalAction: 50, lambdaRequest: 0.2 } as const;
const DURABLE = { gbWritten: 0.25, gbMonth: 0.15 } as const;

/** The share of what was used that the plan without a base fee adds. */
const TEMPORAL_PLAN = 0.1;

/** A start, ten steps of 100 bytes and an end, kept for 30 days. */
const DURABLE_BYTES = 12 * 1024;

function stepFunctions(): PeerBill {
  const transitions = STEPS;
  // Each step is a Lambda of its own, 20 ms of 128 MB.
  const lambda = STEPS * (MILLION.lambdaRequest / 1e6 + 0.02 * 0.125 * 13.3334e-6);
  return {
    service: 'Step Functions Standard',
    dollars: (transitions * MILLION.stepFunctionsTransition * RUNS) / 1e6 + lambda * RUNS,
    from: `${transitions} transitions at $25 a million; ten Lambda invocations of 20 ms and 128 MB`,
  };
}

function durableFunctions(): PeerBill {
  const operations = STEPS + 1;
  const gb = (DURABLE_BYTES * RUNS) / 1e9;
  return {
    service: 'Lambda durable functions',
    dollars: (operations * MILLION.durableOperation * RUNS) / 1e6 + gb * (DURABLE.gbWritten + DURABLE.gbMonth),
    from: `${operations} operations at $8 a million; 12 KB written at $0.25 and kept a month at $0.15 per GB`,
  };
}

function temporalCloud(): PeerBill {
  const actions = STEPS + 1;
  const used = (actions * MILLION.temporalAction * RUNS) / 1e6;
  return {
    service: 'Temporal Cloud',
    dollars: used * (1 + TEMPORAL_PLAN),
    from: `${actions} actions, the start and ten activities, at $50 a million, and 10 % of that for the Developer plan; workers and storage not counted`,
  };
}

export const PEER_BILLS: readonly PeerBill[] = [durableFunctions(), stepFunctions(), temporalCloud()];
