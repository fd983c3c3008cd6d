import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../sdk/client/api-error.ts';
import type { HttpApi } from '../sdk/client/http-api.ts';
import type { Terminal } from './command.ts';
import { CliError, EXIT, type ExitCode } from './exit-codes.ts';
import { readable } from './readable.ts';
import { between, showLength, showTime } from './show-time.ts';
import { plain } from './text-table.ts';
import { unservedHint } from './who-serves.ts';
import { hasEnded, isOwnStep, runPath, type WirePage, type WireRun, type WireStep } from './wire.ts';

/** One look; short, so that progress is shown. */
const WAIT_SECS = 1;
/** An engine that is restarted is back by then. */
const PATIENCE_MS = 60_000;

/** Waits for the end of a run and says on the way what happens. It outlives a restart of the engine. */
export async function waitForRun(terminal: Terminal, runId: string, timeoutMs: number): Promise<WireRun> {
  const api = terminal.connect({ attempts: 1 });
  const progress = new Progress(terminal);
  const deadline = performance.now() + timeoutMs;
  let answeredAt: number | null = null;
  for (;;) {
    try {
      const run = await look(api, runId, progress);
      if (hasEnded(run)) return run;
      if (answeredAt === null) progress.say((await unservedHint(api, run)) ?? '');
      answeredAt = performance.now();
      if (answeredAt >= deadline) throw new CliError(`The run ${runId} is still ${run.status}.`, EXIT.timedOut);
    } catch (error) {
      const away = error instanceof ApiError && (error.status === 0 || error.status === 503);
      if (!away || answeredAt === null || performance.now() > Math.min(deadline, answeredAt + PATIENCE_MS)) throw error;
      progress.say('the engine does not answer; waiting for it');
      await pause(500);
    }
  }
}

async function look(api: HttpApi, runId: string, progress: Progress): Promise<WireRun> {
  const run = await api.call<WireRun>({ path: runPath(runId), query: { wait: WAIT_SECS }, waitMs: WAIT_SECS * 1000 });
  const steps = await api.call<WirePage & { readonly steps: readonly WireStep[] }>({
    path: `${runPath(runId)}/steps`,
    query: { page_size: 100 },
  });
  progress.show(run, steps.steps);
  return run;
}

/** A line for everything that is new. */
class Progress {
  readonly #seen = new Set<string>();
  #said = '';

  constructor(private readonly terminal: Terminal) {}

  show(run: WireRun, steps: readonly WireStep[]): void {
    for (const step of steps.filter(isOwnStep).sort((a, b) => a.started_at.localeCompare(b.started_at))) {
      for (const failed of step.failed_attempts) {
        const line = `  ! ${step.step_id}: attempt ${failed.attempt} failed: ${failed.message}`;
        this.#once(`${step.step_id} ${failed.attempt}`, line);
      }
      if (step.status !== 'COMPLETED' && step.status !== 'FAILED') continue;
      const took = showLength(between(step.started_at, step.finished_at, Date.now()));
      this.#once(step.step_id, `  ${step.status === 'COMPLETED' ? '✓' : '✗'} ${step.step_id} (${took})`);
    }
    if (!hasEnded(run)) this.say(stateOf(run, steps));
  }

  say(text: string): void {
    if (text === '' || text === this.#said) return;
    this.#said = text;
    this.terminal.note(`  · ${text}`);
  }

  #once(key: string, line: string): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.terminal.note(plain(line));
  }
}

/** A run that sleeps for a child has a time in its record too, at which it would look by itself: not worth showing. */
function stateOf({ status, available_at }: WireRun, steps: readonly WireStep[]): string {
  const asleep = steps.find((step) => step.status === 'SLEEPING');
  // A run that is due has a time, too: the one since when it waits.
  const later = available_at !== null && Date.parse(available_at) > Date.now() ? available_at : null;
  const until = status === 'PENDING' ? later : status === 'SLEEPING' ? (asleep?.wake_at ?? null) : null;
  return until === null ? status : `${status} until ${showTime(until)}`;
}

/** The output alone on standard output; anything but success is told on standard error. */
export function reportEnd(terminal: Terminal, run: WireRun): ExitCode {
  if (terminal.json) terminal.print(JSON.stringify(run, null, 2));
  switch (run.status) {
    case 'FAILED':
      throw new CliError(`The run failed: ${run.error?.code ?? ''} ${plain(run.error?.message ?? '')}`, EXIT.runFailed);
    case 'CANCELLED': {
      const reason = run.cancel_reason === null ? '' : `: ${plain(run.cancel_reason)}`;
      throw new CliError(`The run was cancelled${reason}.`, EXIT.runCancelled);
    }
    default:
      if (!terminal.json && run.output !== undefined) terminal.print(JSON.stringify(readable(run.output), null, 2));
      return EXIT.ok;
  }
}
