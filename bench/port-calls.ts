import type { Queue } from '../shared/ports/queue.ts';
import type { Table } from '../shared/ports/table.ts';
import type { Timers } from '../shared/ports/timers.ts';
import type { EngineParts } from '../shared/store/engine.ts';
import { observePort } from './observe-port.ts';

const TABLE_CALLS = [
  'get',
  'put',
  'update',
  'delete',
  'transact',
  'query',
  'queryIndex',
  'batchGet',
  'batchWrite',
] as const satisfies readonly (keyof Table)[];
/** Not `declared`: in the cloud the names come from the configuration. */
const QUEUE_CALLS = ['send', 'receive', 'ack', 'release'] as const satisfies readonly (keyof Queue)[];
const TIMER_CALLS = ['set', 'cancel'] as const satisfies readonly (keyof Timers)[];

/** Counts calls of queue and timers, and round trips: calls of any port made while none was under way. */
export class PortCalls {
  queueCalls = 0;
  timerCalls = 0;
  roundTrips = 0;
  #underWay = 0;

  observe(parts: EngineParts): EngineParts {
    return {
      ...parts,
      table: observePort(parts.table, TABLE_CALLS, (call) => this.#trip(call)),
      queue: observePort(parts.queue, QUEUE_CALLS, (call) => {
        this.queueCalls += 1;
        return this.#trip(call);
      }),
      timers: observePort(parts.timers, TIMER_CALLS, (call) => {
        this.timerCalls += 1;
        return this.#trip(call);
      }),
    };
  }

  async #trip<T>(call: () => Promise<T>): Promise<T> {
    if (this.#underWay === 0) this.roundTrips += 1;
    this.#underWay += 1;
    try {
      return await call();
    } finally {
      this.#underWay -= 1;
    }
  }
}
