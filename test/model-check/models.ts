/** What is checked: each a search of every state of a model, with the faults it may meet given by its defines. */
export interface Check {
  readonly model: 'lease' | 'dispatch' | 'inbox';
  readonly name: string;
  /** Safety finds broken properties and runs that are stuck; liveness, under weak fairness, runs that go on for ever. */
  readonly mode: 'safety' | 'liveness';
  readonly defines: Defines;
}

export type Defines = Readonly<Record<string, number>>;

/** A model with one thing wrong: the check must find it. */
export interface Mutant extends Omit<Check, 'name'> {
  /** The macro that breaks the model. */
  readonly name: string;
  /** What the protocol would do. */
  readonly breaks: string;
  /** The property that must be found broken. */
  readonly caughtBy: string;
}

/** A run that is stuck, or that goes on for ever. */
export const ENDS = 'everyRunEnds';

const NO_CANCEL = { CANCELS: 0 };
const ONE_STEP = { STEPS: 1 };
const RESTART = { STEPS: 1, RESTARTS: 1, CANCELS: 0, PUTDOWNS: 0, POISONS: 0, FAILURES: 0 };
const CANCEL = { STEPS: 1, CANCELS: 1, PUTDOWNS: 0, POISONS: 0, FAILURES: 0 };
const EARLY = { WORKERS: 1, CRASHES: 1, LOSSES: 1, DOUBLES: 0, EARLIES: 1, SLEEPS: 1, SLOWS: 0 };
const ONE_WORKER = { WORKERS: 1, CRASHES: 1, LOSSES: 1, DOUBLES: 0, EARLIES: 0, SLEEPS: 0, SLOWS: 0 };
const CHILD_ALONE = { CHILD: 1, CANCEL: 0 };
const CANCEL_ALONE = { CHILD: 0, CANCEL: 1, SLEEPS: 1 };

/** A few seconds each, for every commit. */
export const CHECKS: readonly Check[] = [
  {
    model: 'lease',
    name: 'two steps, a death, a takeover, a lost answer, a final failure',
    mode: 'safety',
    defines: { ...NO_CANCEL, PUTDOWNS: 0, POISONS: 0 },
  },
  {
    model: 'lease',
    name: 'also put down, given back or poisoned',
    mode: 'safety',
    defines: { ...NO_CANCEL, ...ONE_STEP, FAILURES: 0, RELEASES: 1 },
  },
  { model: 'lease', name: 'cancelled, a takeover, a lost answer', mode: 'safety', defines: { ...CANCEL, KILLS: 0 } },
  { model: 'lease', name: 'ended and started again', mode: 'safety', defines: RESTART },
  {
    model: 'lease',
    name: 'workers over HTTP, no death',
    mode: 'safety',
    defines: { ...NO_CANCEL, ...ONE_STEP, POLL: 1, KILLS: 0, RELEASES: 1 },
  },
  {
    model: 'lease',
    name: 'workers over HTTP, a death',
    mode: 'safety',
    defines: { ...NO_CANCEL, POLL: 1, PUTDOWNS: 0, POISONS: 0 },
  },
  {
    model: 'lease',
    name: 'every run ends',
    mode: 'liveness',
    defines: { ...NO_CANCEL, ...ONE_STEP, PUTDOWNS: 0, POISONS: 0 },
  },
  { model: 'dispatch', name: 'messages lost and early, a sleep, a death', mode: 'safety', defines: EARLY },
  {
    model: 'dispatch',
    name: 'messages doubled, a slow owner, a death',
    mode: 'safety',
    defines: { WORKERS: 2, CRASHES: 1, LOSSES: 0, DOUBLES: 1, EARLIES: 0, SLEEPS: 0, SLOWS: 1 },
  },
  { model: 'dispatch', name: 'every run is claimed and ends', mode: 'liveness', defines: ONE_WORKER },
  { model: 'inbox', name: 'a child ends, two deaths, a takeover', mode: 'safety', defines: CHILD_ALONE },
  {
    model: 'inbox',
    name: 'a child ends and a cancellation comes',
    mode: 'safety',
    defines: { CHILD: 1, CANCEL: 1, CRASHES: 0 },
  },
  { model: 'inbox', name: 'a cancellation beside sleeps', mode: 'safety', defines: CANCEL_ALONE },
  { model: 'inbox', name: 'every arrival is read', mode: 'liveness', defines: { ...CHILD_ALONE, CRASHES: 1 } },
  { model: 'inbox', name: 'every grace ends', mode: 'liveness', defines: CANCEL_ALONE },
];

/** Minutes and gigabytes, for a change of the protocol. */
export const DEEP_CHECKS: readonly Check[] = [
  { model: 'lease', name: 'everything once', mode: 'safety', defines: {} },
  {
    model: 'lease',
    name: 'two deaths, two takeovers, two lost answers',
    mode: 'safety',
    defines: { ...ONE_STEP, ...NO_CANCEL, KILLS: 2, TAKEOVERS: 2, LOST: 2, POISONS: 0 },
  },
  { model: 'lease', name: 'workers over HTTP, everything once', mode: 'safety', defines: { POLL: 1 } },
  { model: 'lease', name: 'ended, started again, cancelled', mode: 'safety', defines: { ...RESTART, CANCELS: 1 } },
  { model: 'lease', name: 'every run ends, cancelled or not', mode: 'liveness', defines: ONE_STEP },
  {
    model: 'dispatch',
    name: 'everything once',
    mode: 'safety',
    defines: { CRASHES: 1, LOSSES: 1 },
  },
  {
    model: 'dispatch',
    name: 'every run is claimed and ends, whatever happens once',
    mode: 'liveness',
    defines: { WORKERS: 1, CRASHES: 1, LOSSES: 1 },
  },
  { model: 'inbox', name: 'three deaths, two takeovers', mode: 'safety', defines: { CRASHES: 3, TAKEOVERS: 2 } },
  { model: 'inbox', name: 'every arrival is read, whatever comes', mode: 'liveness', defines: { CRASHES: 2 } },
];

const lease = (name: string, caughtBy: string, breaks: string, defines: Defines): Mutant => ({
  model: 'lease',
  mode: 'safety',
  name,
  caughtBy,
  breaks,
  defines,
});
const dispatch = (name: string, caughtBy: string, breaks: string): Mutant => ({
  model: 'dispatch',
  mode: 'safety',
  name,
  caughtBy,
  breaks,
  defines: EARLY,
});
const inbox = (name: string, caughtBy: string, breaks: string, defines: Defines = CHILD_ALONE): Mutant => ({
  model: 'inbox',
  mode: 'safety',
  name,
  caughtBy,
  breaks,
  defines,
});

const PLAIN = { ...ONE_STEP, ...NO_CANCEL };

export const MUTANTS: readonly Mutant[] = [
  lease('NO_EPOCH', 'fencedWrites', 'head writes do not look at the epoch', PLAIN),
  lease('OWNER_FOR_EPOCH', 'fencedWrites', "head writes look at the owner's name instead of the epoch", PLAIN),
  lease('NO_INCARNATION', 'fencedWrites', 'head writes do not look at the incarnation', RESTART),
  lease('NO_STATUS', 'terminalIsFinal', 'head writes do not look at the status they leave', PLAIN),
  lease('CLAIM_KEEPS_EPOCH', ENDS, 'a claim does not move the epoch', PLAIN),
  lease('TAKEOVER_KEEPS_EPOCH', 'ownIsOwn', 'a takeover does not move the epoch', PLAIN),
  lease('POISON_KEEPS_EPOCH', 'lostIsLost', 'failing a poisonous run does not move the epoch', PLAIN),
  lease('AMBIGUOUS_IS_LOSS', 'lostIsLost', 'an own write whose answer was lost is taken for a loss', PLAIN),
  lease('NO_WRITE_ONCE', 'resultsNeverChange', 'a result replaces the one before', PLAIN),
  lease('LOSER_KEEPS_ITS_OWN', 'losersAdopt', 'who loses a result goes on with its own', PLAIN),
  lease('FAIL_WITHOUT_RENEWAL', 'failuresAreProved', 'a final failure is recorded without a renewal', PLAIN),
  lease('NO_LOOK_AT_STEP', 'noBodyAfterResult', 'a fresh proof starts a step without a look at its record', PLAIN),
  lease('NO_OWNERSHIP_IN_PROOF', 'noProofAfterCancel', 'a proof does not look at who holds the run', CANCEL),
  lease('NO_RECOVERY', ENDS, 'nobody takes over a lapsed lease', PLAIN),
  dispatch('SEND_BEFORE_PUSH', 'oneSendPerDueTime', 'the watchdog sends, then pushes'),
  dispatch('NO_DUE_CONDITION', 'onePushPerDueTime', 'a push does not look at the due time it moves'),
  dispatch('ROW_LEAVES_WITH_MESSAGE', 'everyRunHasARow', 'a run leaves the due index when its message is sent'),
  dispatch('CLAIM_DROPS_ROW', 'everyRunHasARow', 'a run leaves the due index when it is claimed'),
  dispatch('NO_ROW_AT_START', ENDS, 'a start writes no row'),
  dispatch('NO_TIME_CONDITION', 'neverEarly', 'a claim does not look at the time'),
  dispatch('ACTS_ON_ROW', 'actsOnTheItem', 'the watchdog acts on a row without reading its item'),
  {
    model: 'dispatch',
    mode: 'liveness',
    name: 'NO_RESEND',
    caughtBy: ENDS,
    breaks: 'the watchdog pushes and sends nothing',
    defines: ONE_WORKER,
  },
  inbox('SUSPEND_UNCONDITIONAL', ENDS, 'a suspension does not look at the inbox'),
  inbox('COUNT_AFTER_ARRIVALS', ENDS, 'arrivals are read before their number'),
  inbox('NOTIFY_BEFORE_ARRIVAL', ENDS, 'the head is told before the arrival is written'),
  inbox('NOTIFY_GIVES_UP', ENDS, 'a word that lost against another write is not said again'),
  inbox('NOTIFY_DOES_NOT_WAKE', ENDS, 'a word does not make the run due'),
  inbox('NO_ROW_OWED', ENDS, 'an ended child leaves the due index at once'),
  inbox('SETTLED_BEFORE_TOLD', ENDS, 'an ended child leaves the due index before it has told its parent'),
  inbox('NO_WRITE_ONCE', 'childSeenOnce', 'the outcome of a child replaces the one before'),
  inbox('SLEEP_FORGETS_CANCEL', ENDS, "a run is put down beyond the end of its cancellation's grace", CANCEL_ALONE),
];
