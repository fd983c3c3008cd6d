import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineKind } from '../helpers/dynamo-engines.ts';
import { real } from './clock/movable-timer.ts';
import { installClock, moveClock, uninstallClock } from './clock/moved-clock.ts';
import { type Caller, newCaller } from './http/caller.ts';
import { HttpFront } from './http/http-front.ts';
import type { TokenIssuer } from './http/token-issuer.ts';
import { AccessControl } from './iam/access-control.ts';
import type { Grant } from './iam/grants.ts';
import { bundleRuntime } from './lambda/bundle-runtime.ts';
import { LambdaFunction } from './lambda/lambda-function.ts';
import { EmittedMetrics } from './metrics/emitted-metrics.ts';
import { AwsProxy } from './proxy/aws-proxy.ts';
import { awsServices } from './proxy/aws-services.ts';
import type { PutEvent } from './proxy/event-accesses.ts';
import { restoreTables } from './standins/restore-table.ts';
import { type StandIns, startStandIns } from './standins/stand-ins.ts';
import { TableStream } from './standins/table-stream.ts';
import { ACCOUNT, REGION } from './template/physical-resource.ts';
import { readFunctions } from './template/read-functions.ts';
import { readHttpApi } from './template/read-http-api.ts';
import { readStack } from './template/read-stack.ts';
import { readMappings, readRateRules, readStreamMappings } from './template/read-triggers.ts';
import { ResolvedTemplate } from './template/resolve-template.ts';
import { QueueTrigger } from './triggers/queue-trigger.ts';
import { RateTrigger } from './triggers/rate-trigger.ts';
import { StreamTrigger } from './triggers/stream-trigger.ts';

export interface BedOptions {
  /** What `cdk synth` has written. */
  readonly directory: string;
  /** For files of the bed's own. */
  readonly scratch: string;
  readonly engine: EngineKind;
  /** Execution environments that one queue may keep busy; the template may allow fewer. */
  readonly concurrency?: number;
  readonly issuers?: readonly TokenIssuer[];
  /** Bundles in place of those of the stack, by the names of functions. */
  readonly code?: Readonly<Record<string, string>>;
  /** A grant that is taken away from its role. */
  readonly without?: Grant | null;
}

const PAUSE_MS = 60;
const QUIET_MS = 3_000;
const LINES_KEPT = 2_000;

/** A synthesised stack on this machine. */
export class StackBed {
  readonly template: ResolvedTemplate;
  readonly control: AccessControl;
  readonly functions = new Map<string, LambdaFunction>();
  readonly metrics = new EmittedMetrics();
  /** Put on a bus of EventBridge. */
  readonly events: PutEvent[] = [];
  /** The last lines of the functions' logs. */
  readonly lines: string[] = [];
  readonly #callers: Caller[] = [];
  readonly #roles = new Map<string, string>();
  #standIns!: StandIns;
  #proxy!: AwsProxy;
  #front!: HttpFront;
  #sourceTriggers: (QueueTrigger | StreamTrigger)[] = [];
  #rateTriggers: RateTrigger[] = [];
  #isClosed = false;

  static async open(options: BedOptions): Promise<StackBed> {
    installClock(0);
    const bed = new StackBed(options);
    try {
      await bed.#open();
      return bed;
    } catch (error) {
      await bed.close();
      throw error;
    }
  }

  private constructor(private readonly options: BedOptions) {
    this.template = new ResolvedTemplate(readStack(options.directory));
    this.control = new AccessControl(this.template, options.without ?? null);
  }

  get url(): string {
    return this.#front.url;
  }

  get standIns(): StandIns {
    return this.#standIns;
  }

  get apiId(): string {
    return readHttpApi(this.template).apiId;
  }

  /** By the end of its name. */
  function(name: string): LambdaFunction {
    const found = [...this.functions.values()].find(({ parts }) => parts.name.endsWith(`-${name}`));
    if (found === undefined) throw new Error(`there is no function ${name}: ${[...this.functions.keys()].join(', ')}`);
    return found;
  }

  /** Somebody who may call the API on these namespaces; on everything, if none are given. */
  addCaller(name: string, namespaces?: readonly string[]): Caller {
    const paths = namespaces?.map((namespace) => `/v1/${namespace}/*`) ?? ['/*'];
    const arn = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${this.apiId}/$default/*`;
    const caller = newCaller(
      name,
      paths.map((path) => arn + path),
    );
    this.#callers.push(caller);
    return caller;
  }

  /** Lets time pass: in steps, each when the functions on queues have nothing to do, with a moment after it. */
  async pass(ms: number, stepMs = 30_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.#quiet();
      this.#requireOpen();
      this.#move(Math.min(left, stepMs));
      await realPause(PAUSE_MS);
    }
  }

  /** Until it holds, by the real clock; throws with what was wanted. */
  async until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
    for (const end = real.monotonic() + withinMs; !(await holds()); await realPause(PAUSE_MS)) {
      this.#requireOpen();
      if (real.monotonic() > end)
        throw new Error(`${what}: not within ${withinMs} ms\n${this.lines.slice(-10).join('\n')}`);
    }
  }

  startTriggers(): void {
    for (const trigger of [...this.#sourceTriggers, ...this.#rateTriggers]) trigger.start();
  }

  async stopTriggers(): Promise<void> {
    for (const trigger of this.#rateTriggers) trigger.stop();
    await Promise.all(this.#sourceTriggers.map((trigger) => trigger.stop()));
  }

  async killFunctions(): Promise<void> {
    await Promise.all([...this.functions.values()].map((each) => each.kill('all')));
  }

  /** Everything stops; what goes on has the items of the tables only. */
  async restore(): Promise<void> {
    await this.stopTriggers();
    await this.killFunctions();
    await restoreTables(this.#standIns, this.template);
    this.#openTriggers();
    this.startTriggers();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const trigger of this.#rateTriggers) trigger.stop();
    const stopped = Promise.all(this.#sourceTriggers.map((trigger) => trigger.stop()));
    await Promise.all([...this.functions.values()].map((each) => each.close()));
    await stopped;
    await this.#front?.close();
    await this.#proxy?.close();
    await this.#standIns?.stop();
    uninstallClock();
  }

  async #open(): Promise<void> {
    const { template, control, options } = this;
    this.#standIns = await startStandIns(options.engine, template, control);
    const { dynamo, fauxqs, scheduler, queueUrl } = this.#standIns;
    this.#proxy = new AwsProxy({
      control,
      services: awsServices({ queueUrl, onEvent: (event) => void this.events.push(event) }),
      upstreams: {
        DYNAMODB: dynamo.endpoint,
        SQS: fauxqs.endpoint,
        S3: fauxqs.endpoint,
        SCHEDULER: scheduler.endpoint,
      },
      roleOf: (key) => this.#roles.get(key),
    });
    await this.#proxy.open();
    await this.#openFunctions();
    this.#openTriggers();
    const { apiId, stage, routes } = readHttpApi(template);
    this.#front = new HttpFront({
      apiId,
      stage,
      routes: routes.map((route) => ({ ...route, target: this.#functionOf(route.functionArn) })),
      callers: this.#callers,
      issuers: options.issuers ?? [],
    });
    await this.#front.open();
    this.startTriggers();
  }

  async #openFunctions(): Promise<void> {
    const { control, options } = this;
    mkdirSync(options.scratch, { recursive: true });
    const scripts = await bundleRuntime(join(options.scratch, 'runtime'));
    for (const parts of readFunctions(this.template)) {
      if (!(await control.mayAssume('lambda.amazonaws.com', parts.roleArn))) {
        throw new Error(`Lambda may not take on the role of ${parts.name}`);
      }
      const taskRoot = options.code?.[parts.name] ?? parts.taskRoot;
      const hosted = new LambdaFunction(
        { ...parts, taskRoot },
        {
          control,
          scripts,
          region: REGION,
          endpoints: this.#proxy.environment,
          credentialsFor: (role) => this.#credentialsFor(role),
          onLine: (name, line) => this.#hear(name, line),
        },
      );
      this.functions.set(parts.name, hosted);
    }
  }

  #openTriggers(): void {
    const sqs = this.#standIns.patientSqs;
    const queueTriggers = readMappings(this.template).map((mapping) => {
      const { queue, batchSize, reportsFailures, maxConcurrency } = mapping;
      const target = this.#functionOf(mapping.functionName);
      if (Number(queue.properties['VisibilityTimeout'] ?? 30) * 1000 < target.parts.timeoutMs) {
        throw new Error(`${queue.logicalId}: its visibility timeout is shorter than its function's`);
      }
      const queueName = queue.attributes['QueueName'] ?? '';
      return new QueueTrigger({
        control: this.control,
        sqs,
        queueUrl: this.#standIns.queueUrl(queueName),
        queueName,
        queueArn: queue.attributes['Arn'] ?? '',
        target,
        batchSize,
        reportsFailures,
        concurrency: Math.min(maxConcurrency ?? Number.POSITIVE_INFINITY, this.options.concurrency ?? 2),
      });
    });
    const streamTriggers = readStreamMappings(this.template).map(({ functionName, tableName, ...mapping }) => {
      const stream = new TableStream(this.#standIns.dynamo.endpoint, tableName);
      return new StreamTrigger({ ...mapping, control: this.control, stream, target: this.#functionOf(functionName) });
    });
    this.#sourceTriggers = [...queueTriggers, ...streamTriggers];
    this.#rateTriggers = readRateRules(this.template).map(
      (rule) => new RateTrigger({ ...rule, target: this.#functionOf(rule.functionArn) }),
    );
  }

  /** There is one clock in a process: whoever is left behind may not move that of the next bed. */
  #requireOpen(): void {
    if (this.#isClosed) throw new Error('the bed is closed');
  }

  #functionOf(nameOrArn: string): LambdaFunction {
    const found = this.functions.get(nameOrArn.split(':').at(-1) ?? '');
    if (found === undefined) throw new Error(`there is no function ${nameOrArn} in the stack`);
    return found;
  }

  #credentialsFor(role: string): Record<string, string> {
    const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    this.#roles.set(accessKeyId, role);
    return {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: randomBytes(20).toString('hex'),
      AWS_SESSION_TOKEN: randomBytes(20).toString('hex'),
    };
  }

  #hear(name: string, line: string): void {
    this.metrics.read(line);
    this.lines.push(`${name} ${line}`);
    if (this.lines.length > LINES_KEPT) this.lines.splice(0, LINES_KEPT / 2);
  }

  #move(ms: number): void {
    moveClock(ms);
    for (const each of this.functions.values()) each.moveClock(ms);
  }

  /** A moment when nothing is served from a queue, so that time passes for nobody who is in the middle of something. */
  async #quiet(): Promise<void> {
    const served = readMappings(this.template).map(({ functionName }) => this.#functionOf(functionName));
    for (const end = real.monotonic() + QUIET_MS; real.monotonic() < end; await realPause(PAUSE_MS / 4)) {
      if (served.every(({ busy }) => busy === 0)) return;
    }
  }
}

const realPause = (ms: number): Promise<void> => new Promise((resolve) => real.setTimeout(resolve, ms));
