import { App, Tags } from 'aws-cdk-lib';
import { EngineStack } from './engine-stack.ts';
import { selectEnvironment } from './environments.ts';

const app = new App();
const environment = selectEnvironment(app.node.tryGetContext('env'), app.node.tryGetContext('environments'));
const stack = new EngineStack(app, environment);
Tags.of(stack).add('kagzi:environment', environment.name);
