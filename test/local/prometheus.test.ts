import { register } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { PrometheusMetrics } from '../../local/prometheus.ts';

const linesOf = async (metrics: PrometheusMetrics, name: string): Promise<string[]> =>
  (await metrics.render()).split('\n').filter((line) => line.startsWith(name));

describe('counters', () => {
  it('are named kagzi_…_total and count by label', async () => {
    const metrics = new PrometheusMetrics();
    metrics.count('runs_started', 1, { namespace: 'a' });
    metrics.count('runs_started', 2, { namespace: 'a' });
    metrics.count('runs_started', 1, { namespace: 'b', workflow_type: 'order' });
    expect(await linesOf(metrics, 'kagzi_runs_started_total')).toEqual([
      'kagzi_runs_started_total{namespace="a"} 3',
      'kagzi_runs_started_total{namespace="b",workflow_type="order"} 1',
    ]);
  });

  it('count one without a value, and fractions of a unit', async () => {
    const metrics = new PrometheusMetrics();
    metrics.count('watchdog_ticks');
    metrics.count('read_units', 0.5);
    expect(await linesOf(metrics, 'kagzi_watchdog_ticks_total')).toEqual(['kagzi_watchdog_ticks_total 1']);
    expect(await linesOf(metrics, 'kagzi_read_units_total')).toEqual(['kagzi_read_units_total 0.5']);
  });

  it('leave out a label nobody declared, and still count', async () => {
    const metrics = new PrometheusMetrics();
    metrics.count('steps_failed', 1, { run_id: 'r1', namespace: 'a' });
    expect(await linesOf(metrics, 'kagzi_steps_failed_total')).toEqual(['kagzi_steps_failed_total{namespace="a"} 1']);
  });

  it('ignore what is no count', async () => {
    const metrics = new PrometheusMetrics();
    for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY]) metrics.count('write_units', value);
    expect(await linesOf(metrics, 'kagzi_write_units_total')).toEqual([]);
  });
});

describe('gauges', () => {
  it('are read at every scrape and forget labels that are gone', async () => {
    const metrics = new PrometheusMetrics();
    let depth: Record<string, number> = { a: 1, b: 2 };
    metrics.gauge('queue_ready', 'Messages ready', ['task_queue'], () =>
      Object.entries(depth).map(([task_queue, value]) => ({ labels: { task_queue }, value })),
    );
    expect(await linesOf(metrics, 'kagzi_queue_ready')).toEqual([
      'kagzi_queue_ready{task_queue="a"} 1',
      'kagzi_queue_ready{task_queue="b"} 2',
    ]);
    depth = { b: 5 };
    expect(await linesOf(metrics, 'kagzi_queue_ready')).toEqual(['kagzi_queue_ready{task_queue="b"} 5']);
  });

  it('may be read from what answers later', async () => {
    const metrics = new PrometheusMetrics();
    metrics.gauge('workers_online', 'Workers online', [], async () => [{ value: 3 }]);
    expect(await linesOf(metrics, 'kagzi_workers_online')).toEqual(['kagzi_workers_online 3']);
  });
});

describe('the registry', () => {
  it('belongs to its engine: two engines in a process do not meet, and nothing is global', async () => {
    const one = new PrometheusMetrics();
    const two = new PrometheusMetrics();
    one.count('runs_started');
    expect(await linesOf(two, 'kagzi_runs_started_total')).toEqual([]);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('says its content type', () => {
    expect(new PrometheusMetrics().contentType).toContain('text/plain');
  });
});
