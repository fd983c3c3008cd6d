import { randomUUID } from 'node:crypto';
import { real } from '../clock/movable-timer.ts';
import type { AccessControl } from '../iam/access-control.ts';
import { type EnvironmentParts, ExecutionEnvironment, InvocationError } from './execution-environment.ts';

export interface FunctionParts {
  readonly name: string;
  readonly arn: string;
  readonly logGroup: string;
  readonly roleArn: string;
  readonly handler: string;
  readonly taskRoot: string;
  readonly timeoutMs: number;
  /** Null if nothing is reserved. */
  readonly reserved: number | null;
  readonly memoryMb: number;
  readonly isTraced: boolean;
  readonly variables: Readonly<Record<string, string>>;
}

export interface HostParts {
  readonly control: AccessControl;
  readonly scripts: EnvironmentParts['scripts'];
  /** New credentials for an execution environment of the role. */
  readonly credentialsFor: (roleArn: string) => Readonly<Record<string, string>>;
  readonly endpoints: Readonly<Record<string, string>>;
  readonly region: string;
  readonly onLine: (functionName: string, line: string) => void;
}

/** Nobody is there to serve it. */
export class ThrottledError extends Error {}

/** A function as Lambda runs it: as many execution environments as there are invocations at once. */
export class LambdaFunction {
  /** Invocations so far. */
  invocations = 0;
  /** Fails every invocation, as an outage would; null lets them through. */
  outage: string | null = null;
  readonly #environments = new Set<ExecutionEnvironment>();
  readonly #busy = new Set<ExecutionEnvironment>();
  readonly #frozen = new Set<ExecutionEnvironment>();
  #isClosed = false;

  constructor(
    readonly parts: FunctionParts,
    private readonly host: HostParts,
  ) {}

  get busy(): number {
    return this.#busy.size;
  }

  get processes(): number {
    return this.#environments.size;
  }

  async invoke(event: unknown): Promise<unknown> {
    const { reserved, timeoutMs, name, arn, roleArn, memoryMb, isTraced } = this.parts;
    if (reserved !== null && this.#busy.size >= reserved) throw new ThrottledError(`${name} is throttled`);
    this.invocations += 1;
    if (this.outage !== null) throw new InvocationError(this.outage);
    if (isTraced) await this.host.control.mayDo(roleArn, TRACE_ACCESSES);
    const environment = this.#idle() ?? (await this.#start());
    const id = randomUUID();
    const context = { functionName: name, invokedFunctionArn: arn, memoryLimitInMB: String(memoryMb) };
    const timer = setTimeout(() => void environment.kill(), timeoutMs);
    try {
      return await environment.invoke({ id, event, context, deadline: Date.now() + timeoutMs });
    } finally {
      clearTimeout(timer);
      this.#busy.delete(environment);
    }
  }

  moveClock(ms: number): void {
    for (const environment of this.#environments) environment.moveClock(ms);
  }

  /** SIGKILL for those that serve something, or for all. Answers how many. */
  async kill(which: 'busy' | 'all'): Promise<number> {
    const doomed = [...(which === 'busy' ? this.#busy : this.#environments)];
    await Promise.all(doomed.map((environment) => environment.kill()));
    return doomed.length;
  }

  /** SIGKILL for all, of those too that are about to start: nobody is left behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.kill('all');
  }

  /** SIGKILL for one that serves something. Answers whether there was one. */
  async killOne(): Promise<boolean> {
    const doomed = this.#serving();
    await doomed?.kill();
    return doomed !== undefined;
  }

  /** SIGSTOP for one that serves something, for so long by the real clock. Answers whether it lived to go on. */
  async freezeOne(ms: number): Promise<boolean> {
    const frozen = this.#serving();
    if (frozen === undefined) return false;
    this.#frozen.add(frozen);
    frozen.freeze();
    await Promise.race([new Promise((resolve) => real.setTimeout(resolve, ms)), frozen.ended]);
    this.#frozen.delete(frozen);
    if (!frozen.isDead) frozen.thaw();
    return !frozen.isDead;
  }

  #serving(): ExecutionEnvironment | undefined {
    return [...this.#busy].find((each) => each.isServing && !this.#frozen.has(each));
  }

  #idle(): ExecutionEnvironment | undefined {
    const idle = [...this.#environments].find((each) => !this.#busy.has(each) && !each.isDead);
    if (idle !== undefined) this.#busy.add(idle);
    return idle;
  }

  async #start(): Promise<ExecutionEnvironment> {
    const { host, parts } = this;
    const maySay = await this.#mayLog();
    if (this.#isClosed) throw new InvocationError(`${parts.name} is gone`);
    const environment = new ExecutionEnvironment({
      taskRoot: parts.taskRoot,
      scripts: host.scripts,
      env: {
        ...parts.variables,
        ...host.credentialsFor(parts.roleArn),
        ...host.endpoints,
        _HANDLER: parts.handler,
        AWS_REGION: host.region,
        AWS_DEFAULT_REGION: host.region,
        AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
        AWS_LAMBDA_FUNCTION_NAME: parts.name,
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(parts.memoryMb),
        AWS_LAMBDA_LOG_GROUP_NAME: parts.logGroup,
        AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
        TZ: ':UTC',
      },
      onLine: (line) => {
        if (maySay) host.onLine(parts.name, line);
      },
    });
    this.#environments.add(environment);
    this.#busy.add(environment);
    void environment.ended.then(() => this.#environments.delete(environment));
    return environment;
  }

  /** What a function may not log is lost, and its metrics with it. */
  #mayLog(): Promise<boolean> {
    const stream = `${logGroupArn(this.parts)}:log-stream:${randomUUID()}`;
    return this.host.control.mayDo(this.parts.roleArn, [
      { action: 'logs:CreateLogStream', resource: stream },
      { action: 'logs:PutLogEvents', resource: stream },
    ]);
  }
}

const logGroupArn = ({ arn, logGroup }: FunctionParts): string => {
  const [, , , region, account] = arn.split(':');
  return `arn:aws:logs:${region}:${account}:log-group:${logGroup}`;
};

/** By the daemon beside the function. */
const TRACE_ACCESSES = [
  { action: 'xray:PutTraceSegments', resource: '*' },
  { action: 'xray:PutTelemetryRecords', resource: '*' },
];
