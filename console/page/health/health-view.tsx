import { ApiProblem, callApi } from '../api.ts';
import { useLive } from '../live.ts';
import { EmptyNote, LoadingNote, ProblemBar, ProblemNote } from '../parts/notes.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import type { MetricsHistory } from '../wire.ts';
import { ChartCard } from './chart-card.tsx';
import { CHARTS } from './charts.ts';

interface Info {
  readonly version: string;
  readonly api_version: string;
}

interface Health {
  readonly status: string;
  readonly message: string;
}

interface Loaded {
  readonly info: Info;
  readonly health: Health;
  /** Null where the engine keeps none. */
  readonly history: MetricsHistory | null;
}

const PACE = { minMs: 5_000, maxMs: 15_000 };

async function load(signal: AbortSignal): Promise<Loaded> {
  const [info, health, history] = await Promise.all([
    callApi<Info>('/info', { signal }),
    callApi<Health>('/health', { signal }),
    callApi<MetricsHistory>('/metrics/history', { signal }).catch((error: unknown) => {
      if (error instanceof ApiProblem && error.status === 404) return null;
      throw error;
    }),
  ]);
  return { info, health, history };
}

export const HealthView = () => {
  const live = useLive<Loaded>('health', load, () => PACE);
  return (
    <>
      <PageHeader title="Health" live={live} />
      {live.data === null ? (
        live.problem === null ? (
          <LoadingNote what="the numbers" />
        ) : (
          <ProblemNote problem={live.problem} retry={live.refresh} />
        )
      ) : (
        <>
          {live.problem !== null && <ProblemBar problem={live.problem} retry={live.refresh} />}
          <p class="lead">
            {live.data.health.message} Version {live.data.info.version}, API {live.data.info.api_version}.
          </p>
          {live.data.history === null ? <NoHistory /> : <Charts history={live.data.history} />}
        </>
      )}
    </>
  );
};

const Charts = ({ history }: { readonly history: MetricsHistory }) => (
  <>
    <p class="faint">The last hour of this process, a point for every minute.</p>
    <div class="cards">
      {CHARTS.map((chart) => (
        <ChartCard key={chart.title} chart={chart} history={history} />
      ))}
    </div>
  </>
);

const NoHistory = () => (
  <EmptyNote icon="pulse" title="The numbers of this engine are in CloudWatch">
    <p>A deployed engine keeps its metrics there: see the dashboard of its environment. Queues are under Workers.</p>
  </EmptyNote>
);
