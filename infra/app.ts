import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { EngineStack } from './engine-stack.ts';
import { type Environment, selectEnvironment } from './environments.ts';

const app = new App();
new EngineStack(app, environment());
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/** What is wrong with it is told in a line: where in the code it was found helps nobody who deploys. */
function environment(): Environment {
  try {
    return selectEnvironment(app.node.tryGetContext('env'), app.node.tryGetContext('environments'));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
