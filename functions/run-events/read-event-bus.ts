import { EnvironmentError } from '../read-environment.ts';
import { matching, Variables } from '../variables.ts';

const BUS = /^(arn:[a-z-]+:events:[^:]+:\d{12}:event-bus\/)?[/.\-_A-Za-z0-9]{1,256}$/;

/** The name or the ARN of the bus. */
export function readEventBus(env: Readonly<Record<string, string | undefined>>): string {
  const variables = new Variables(env);
  const bus = variables.require('KAGZI_EVENT_BUS', matching(BUS, 'is no bus of EventBridge'), '');
  const [problem] = variables.problems;
  if (problem !== undefined) throw new EnvironmentError(`The environment is wrong:\n  - ${problem}`);
  return bus;
}
