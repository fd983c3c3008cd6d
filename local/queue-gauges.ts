import { deadLettersOf } from '../shared/ports/queue.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import type { GaugeReading, PrometheusMetrics } from './prometheus.ts';

/** Depth and age of every queue, read when scraped. */
export function queueGauges(metrics: PrometheusMetrics, { queue, engine }: EmbeddedEngine): void {
  const read = async (measure: (depth: Awaited<ReturnType<typeof queue.depth>>) => number): Promise<GaugeReading[]> =>
    Promise.all(
      (await queue.names()).map(async (name) => ({
        labels: { task_queue: name },
        value: measure(await queue.depth(name)),
      })),
    );
  const labels = ['task_queue'];
  metrics.gauge('queue_ready', 'Messages that wait for a worker', labels, () => read(({ ready }) => ready));
  metrics.gauge('queue_delayed', 'Messages that wait for their time', labels, () => read(({ delayed }) => delayed));
  metrics.gauge('queue_in_flight', 'Messages under way', labels, () => read(({ inFlight }) => inFlight));
  metrics.gauge('queue_oldest_age_seconds', 'Age of the oldest message that waits', labels, () =>
    read(({ oldestSentAt }) => (oldestSentAt === null ? 0 : Math.max(0, engine.clock.now() - oldestSentAt) / 1000)),
  );
}

/** Over all queues: what waits, what is under way, how long the oldest message has waited, and what lies dead. */
export async function queueTotals({ queue, engine }: EmbeddedEngine): Promise<Readonly<Record<string, number>>> {
  const names = await queue.names();
  const depthsOf = (dead: boolean) =>
    Promise.all(names.filter((name) => (deadLettersOf(name) !== null) === dead).map((name) => queue.depth(name)));
  const [depths, dead] = [await depthsOf(false), await depthsOf(true)];
  const sum = (of: (depth: (typeof depths)[number]) => number) => depths.reduce((total, depth) => total + of(depth), 0);
  const oldest = Math.min(...depths.map(({ oldestSentAt }) => oldestSentAt ?? Number.POSITIVE_INFINITY));
  return {
    queue_ready: sum(({ ready }) => ready),
    queue_delayed: sum(({ delayed }) => delayed),
    queue_in_flight: sum(({ inFlight }) => inFlight),
    queue_dead: dead.reduce((total, { ready, inFlight }) => total + ready + inFlight, 0),
    queue_oldest_age_seconds: Number.isFinite(oldest) ? Math.max(0, engine.clock.now() - oldest) / 1000 : 0,
  };
}
