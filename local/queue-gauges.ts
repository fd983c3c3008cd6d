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
