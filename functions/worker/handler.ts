import * as hello from '../../examples/hello.ts';
import * as order from '../../examples/order.ts';
import * as reminder from '../../examples/reminder.ts';
import { createWorker } from '../../sdk/index.ts';

/** The worker of the examples, and the pattern for one's own: the workflows it has the code of, on a task queue. */
export const handler = createWorker({
  workflows: [hello, order, reminder].flatMap((module) => Object.values(module)),
}).lambda();
