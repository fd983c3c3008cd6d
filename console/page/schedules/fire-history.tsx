import type { ComponentChildren } from 'preact';
import { EmptyNote } from '../parts/notes.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { runHref } from '../route.ts';
import { plural } from '../show-number.ts';
import type { Fire } from '../wire.ts';
import { showInZone } from './show-spec.ts';

interface FireHistoryProps {
  readonly namespace: string;
  readonly fires: readonly Fire[];
  readonly zone: string;
  /** Below the fires: the way to older ones. */
  readonly children: ComponentChildren;
}

const KINDS = { cron: 'By its times', trigger: 'Triggered', backfill: 'Backfill' } as const;

export const FireHistory = ({ namespace, fires, zone, children }: FireHistoryProps) => (
  <section aria-labelledby="history-title">
    <h2 id="history-title">History</h2>
    {fires.length === 0 ? (
      <EmptyNote icon="clock" title="It has not fired yet">
        <p>Trigger it now to see it work.</p>
      </EmptyNote>
    ) : (
      <div class="table-frame slim">
        <table>
          <thead>
            <tr>
              <th>Fire time</th>
              <th class="wide-only">How</th>
              <th>Run</th>
            </tr>
          </thead>
          <tbody>
            {fires.map((fire) => (
              <tr key={fire.what === 'fire' ? fire.external_id : `${fire.reason} ${fire.from}`}>
                <td>{showInZone(zone, fire.what === 'fire' ? fire.fire_at : fire.from)}</td>
                <td class="wide-only">{fire.what === 'fire' ? KINDS[fire.kind] : 'Skipped'}</td>
                <td>{fire.what === 'fire' ? <Outcome namespace={namespace} fire={fire} /> : skipText(fire)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    {children}
  </section>
);

type Started = Extract<Fire, { readonly what: 'fire' }>;
type Skipped = Extract<Fire, { readonly what: 'skip' }>;

const Outcome = ({ namespace, fire }: { readonly namespace: string; readonly fire: Started }) => {
  if (fire.error !== null) return <span class="error-text">{fire.error}</span>;
  if (fire.run_id === null) return <span class="faint">no run</span>;
  return (
    <a class="fire-run" href={runHref(namespace, fire.run_id)}>
      {fire.run_status === null ? 'run, no longer kept' : <StatusBadge status={fire.run_status} />}
    </a>
  );
};

const skipText = ({ reason, count, count_capped }: Skipped): string =>
  `${plural(count, 'fire')}${count_capped ? ' or more' : ''}: ${reason === 'overlap' ? 'a run was still open' : 'missed too long ago'}`;
