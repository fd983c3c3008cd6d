import * as hello from '../../examples/hello.ts';
import * as order from '../../examples/order.ts';
import { createWorker } from '../../sdk/index.ts';

/** The worker of the examples, and the pattern for one's own: the workflows it has the code of, on a task queue. */
export const handler = createWorker({ workflows: [...Object.values(hello), ...Object.values(order)] }).lambda();
