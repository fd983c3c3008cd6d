import { useEffect, useState } from 'preact/hooks';
import { callApi } from './api.ts';
import type { EngineName } from './engine-name.ts';
import { HealthView } from './health/health-view.tsx';
import { Sidebar } from './parts/sidebar.tsx';
import { useRoute } from './route.ts';
import { RunPage } from './run/run-page.tsx';
import { RunsView } from './runs/runs-view.tsx';
import { SchedulePage } from './schedules/schedule-page.tsx';
import { SchedulesView } from './schedules/schedules-view.tsx';
import { WorkersView } from './workers/workers-view.tsx';

export const App = () => {
  const route = useRoute();
  const [engine, setEngine] = useState<EngineName>({ name: '', url: '' });
  useEffect(() => {
    void callApi<EngineName>('engine.json').then(setEngine, () => undefined);
    addEventListener('keydown', focusSearch);
    return () => removeEventListener('keydown', focusSearch);
  }, []);
  useEffect(() => {
    document.title = `${titleOf(route.view)}${engine.name === '' ? '' : ` · ${engine.name}`} · Kagzi`;
  }, [route.view, engine.name]);
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Sidebar route={route} engine={engine} />
      <main id="main" tabIndex={-1}>
        {route.view === 'runs' && route.id === null && (
          <RunsView key={route.namespace} namespace={route.namespace} query={route.query} />
        )}
        {route.view === 'runs' && route.id !== null && (
          <RunPage
            key={`${route.namespace} ${route.id}`}
            namespace={route.namespace}
            runId={route.id}
            query={route.query}
          />
        )}
        {route.view === 'schedules' && route.id === null && (
          <SchedulesView key={route.namespace} namespace={route.namespace} />
        )}
        {route.view === 'schedules' && route.id !== null && (
          <SchedulePage key={`${route.namespace} ${route.id}`} namespace={route.namespace} scheduleId={route.id} />
        )}
        {route.view === 'workers' && <WorkersView namespace={route.namespace} />}
        {route.view === 'health' && <HealthView />}
      </main>
    </div>
  );
};

const titleOf = (view: string): string => view.charAt(0).toUpperCase() + view.slice(1);

/** `/` goes to the search of the page, as it does elsewhere. */
function focusSearch(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog') !== null) return;
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (search === null) return;
  event.preventDefault();
  search.focus();
  search.select();
}
