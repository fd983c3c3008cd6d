import { Icon, type IconName } from './icon.tsx';

/** Statuses of runs, steps, workers and schedules: a shape and a word, and a colour besides. */
const LOOKS: Readonly<Record<string, readonly [IconName, string]>> = {
  PENDING: ['clock', 'pending'],
  RUNNING: ['play', 'running'],
  SLEEPING: ['moon', 'sleeping'],
  COMPLETED: ['check', 'completed'],
  FAILED: ['cross', 'failed'],
  CANCELLED: ['slash', 'cancelled'],
  ONLINE: ['check', 'completed'],
  DRAINING: ['clock', 'pending'],
  OFFLINE: ['slash', 'cancelled'],
  SCHEDULED: ['calendar', 'running'],
  PAUSED: ['pause', 'pending'],
};

const named = (status: string): string => status.charAt(0) + status.slice(1).toLowerCase();

export const StatusBadge = ({ status }: { readonly status: string }) => {
  const [icon, tone] = LOOKS[status] ?? (['clock', 'pending'] as const);
  return (
    <span class={`badge tone-${tone}`}>
      <Icon name={icon} size={14} />
      {named(status)}
    </span>
  );
};
