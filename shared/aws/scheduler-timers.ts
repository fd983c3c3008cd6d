import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { PortError } from '../ports/port-error.ts';
import { CONTROL_QUEUE, type Queue } from '../ports/queue.ts';
import { TIMER_KIND, type TimerMessage, type Timers } from '../ports/timers.ts';
import { AwsRetry } from './aws-retry.ts';
import { scheduleName } from './schedule-name.ts';
import { sealTimer } from './timer-envelope.ts';

/** It comes between its second and a minute later, so a message that is sent then with a delay is still in time. */
const LEAD_MS = 120_000;
/** A schedule may be made, fire and be gone again between two of our requests, but not over and over. */
const TURNS = 4;

export interface SchedulerTimersParts {
  readonly client: SchedulerClient;
  /** The stack's own schedule group. */
  readonly groupName: string;
  /** The control queue, and the role that lets the group's schedules send to it. */
  readonly queueArn: string;
  readonly roleArn: string;
  /** Takes at once what is due already. */
  readonly queue: Pick<Queue, 'send'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** One-time schedules of EventBridge Scheduler, which delete themselves when they have fired. */
export class SchedulerTimers implements Timers {
  readonly leadMs = LEAD_MS;
  readonly #parts: SchedulerTimersParts;
  readonly #retry: AwsRetry;

  constructor(parts: SchedulerTimersParts) {
    this.#parts = parts;
    this.#retry = new AwsRetry(parts.clock, parts.ids);
  }

  async set(id: string, at: number, message: TimerMessage): Promise<void> {
    if (at <= this.#parts.clock.now()) return this.#sendNow(id, message);
    try {
      await this.#put(this.#schedule(id, at, message));
    } catch (error) {
      // A time that went by on the way is refused.
      const isPast = error instanceof PortError && error.failure === 'invalid' && at <= this.#parts.clock.now();
      if (!isPast) throw error;
      await this.#sendNow(id, message);
    }
  }

  async cancel(id: string): Promise<void> {
    const command = new DeleteScheduleCommand({
      Name: scheduleName(id),
      GroupName: this.#parts.groupName,
      ClientToken: this.#parts.ids.token(),
    });
    await this.#retry.send(async () => {
      try {
        await this.#parts.client.send(command);
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    });
  }

  async #sendNow(id: string, message: TimerMessage): Promise<void> {
    await this.#parts.queue.send(CONTROL_QUEUE, [{ ...message, kind: TIMER_KIND }]);
    await this.cancel(id);
  }

  #schedule(id: string, at: number, message: TimerMessage): CreateScheduleInput {
    const { groupName, queueArn, roleArn } = this.#parts;
    return {
      Name: scheduleName(id),
      GroupName: groupName,
      ScheduleExpression: `at(${new Date(Math.ceil(at / 1000) * 1000).toISOString().slice(0, 19)})`,
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: { Arn: queueArn, RoleArn: roleArn, Input: sealTimer(message) },
    };
  }

  /** Made if there is none, else changed; whoever else makes or deletes it in between, one of the next turns is right. */
  async #put(schedule: CreateScheduleInput): Promise<void> {
    for (let turn = 1; turn <= TURNS; turn += 1) {
      if (await this.#create(schedule)) return;
      if (await this.#update(schedule)) return;
    }
    throw new PortError('conflict', `the schedule ${schedule.Name} comes and goes`);
  }

  /** The token makes every attempt one and the same request, so that a lost answer is no conflict. */
  #create(schedule: CreateScheduleInput): Promise<boolean> {
    const command = new CreateScheduleCommand({ ...schedule, ClientToken: this.#parts.ids.token() });
    return this.#unless(ConflictException, () => this.#parts.client.send(command));
  }

  async #update(schedule: CreateScheduleInput): Promise<boolean> {
    const command = new UpdateScheduleCommand({ ...schedule, ClientToken: this.#parts.ids.token() });
    return this.#unless(ResourceNotFoundException, () => this.#parts.client.send(command));
  }

  #unless(
    refusal: typeof ConflictException | typeof ResourceNotFoundException,
    request: () => Promise<unknown>,
  ): Promise<boolean> {
    return this.#retry.send(async () => {
      try {
        await request();
        return true;
      } catch (error) {
        if (error instanceof refusal) return false;
        throw error;
      }
    });
  }
}
