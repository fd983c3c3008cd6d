import { App } from 'aws-cdk-lib';
import { EngineStack } from '../../infra/engine-stack.ts';
import { selectEnvironment } from '../../infra/environments.ts';
import { functionCode } from '../../infra/function-code.ts';
import { KagziWorker } from '../../infra/kagzi-worker.ts';

/** As users add to the stack: a worker, on a task queue of its own, whose role is bound to the namespace `shop`. */
const app = new App();
const environment = selectEnvironment(app.node.tryGetContext('env'), app.node.tryGetContext('environments'));
const stack = new EngineStack(app, environment);
new KagziWorker(stack, 'Tenant', {
  engine: stack.engine,
  workerName: 'tenant',
  code: functionCode('worker'),
  taskQueue: 'polled',
  namespaces: ['shop'],
});
