import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { type LogLevel, METRICS, type Metric, type Telemetry } from '../shared/ports/telemetry.ts';
import { METRIC_NAMESPACE, serviceOf } from './metric-place.ts';

type LogFields = NonNullable<Parameters<Telemetry['log']>[2]>;

/**
 * JSON lines for CloudWatch Logs, and metrics embedded in them. The one dimension is the environment: every other
 * label can take as many values as callers think of, and each would be a metric to pay for.
 */
export class LambdaTelemetry implements Telemetry {
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #counts: Map<Metric, number>;

  private constructor(logger: Logger, metrics: Metrics, counts: Map<Metric, number>) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#counts = counts;
  }

  static of(settings: { readonly environment: string; readonly logLevel: LogLevel }): LambdaTelemetry {
    const serviceName = serviceOf(settings.environment);
    const logger = new Logger({ serviceName, logLevel: settings.logLevel });
    return new LambdaTelemetry(logger, new Metrics({ namespace: METRIC_NAMESPACE, serviceName, logger }), new Map());
  }

  count(metric: Metric, value = 1): void {
    if (!(value > 0 && Number.isFinite(value))) return;
    this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + value);
  }

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.#logger[level](message, { ...fields });
  }

  /** Its lines carry these fields; it counts into the same metrics. */
  with(fields: LogFields): LambdaTelemetry {
    const logger = this.#logger.createChild({ persistentKeys: { ...fields } });
    return new LambdaTelemetry(logger, this.#metrics, this.#counts);
  }

  /** Writes what was counted as one line: a Lambda may be frozen between two invocations, or never wake again. */
  flush(): void {
    if (this.#counts.size === 0) return;
    for (const [metric, value] of this.#counts) this.#metrics.addMetric(metric, METRICS[metric], value);
    this.#counts.clear();
    this.#metrics.publishStoredMetrics();
  }
}

/** Every invocation writes what it counted, however it ends. */
export const flushing =
  <Args extends readonly unknown[], Result>(
    telemetry: LambdaTelemetry,
    handler: (...args: Args) => Promise<Result>,
  ): ((...args: Args) => Promise<Result>) =>
  async (...args) => {
    try {
      return await handler(...args);
    } finally {
      telemetry.flush();
    }
  };
