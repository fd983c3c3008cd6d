import { Stop } from '../../shared/model/stop.ts';
import type { Asked, Execution } from './execution.ts';
import { requireKind } from './history.ts';
import type { Wake } from './journal.ts';
import type { Operation, Settle } from './operation.ts';

/** The wake time is decided once, by whoever records it first. */
export function sleepOperation(execution: Execution, asked: Asked, settle: Settle, wake: Wake): Operation {
  const { place, recorded } = asked;
  const operation: Operation = {
    kind: 'SLEEP',
    place,
    recorded,
    stopping: new Stop(),
    waiting:
      recorded?.state.status === 'SLEEPING'
        ? { for: 'time', until: recorded.state.wakeAt, attempt: 1 }
        : { for: 'start' },
    async work() {
      const step = await execution.parts.journal.sleep(place, wake);
      requireKind(step, 'SLEEP');
      const until = step.state.status === 'SLEEPING' ? step.state.wakeAt : 0;
      operation.waiting = { for: 'time', until, attempt: 1 };
    },
    settle: () => settle.resolve(undefined),
    reject: settle.reject,
  };
  return operation;
}
