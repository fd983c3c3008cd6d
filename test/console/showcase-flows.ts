export { order, shipment } from '../../examples/order.ts';
export { echo, march, nap, stumble } from './console-flows.ts';
