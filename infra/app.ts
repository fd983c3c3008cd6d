import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { EngineStack } from './engine-stack.ts';
import { selectEnvironment } from './environments.ts';

const app = new App();
const environment = selectEnvironment(app.node.tryGetContext('env'), app.node.tryGetContext('environments'));
new EngineStack(app, environment);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
