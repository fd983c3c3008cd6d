import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { SearchKey } from '../parts/search-key.tsx';
import { hasFilters, type RunFilters, SINCE } from './run-query.ts';

const STATUSES = ['PENDING', 'RUNNING', 'SLEEPING', 'COMPLETED', 'FAILED', 'CANCELLED'];
const TYPING_MS = 300;

interface RunFiltersProps {
  readonly filters: RunFilters;
  readonly types: readonly string[];
  readonly queues: readonly string[];
  readonly onChange: (filters: RunFilters) => void;
}

export const RunFilterBar = ({ filters, types, queues, onChange }: RunFiltersProps) => {
  const set = (change: Partial<RunFilters>): void => onChange({ ...filters, ...change });
  const isCustom = filters.since === 'custom' || filters.from !== '' || filters.to !== '';
  return (
    <search class="filters" aria-label="Filter runs">
      <Typed
        type="search"
        label="Search by run id or external id"
        value={filters.search}
        onChange={(search) => set({ search })}
      />
      <label>
        <span class="visually-hidden">Status</span>
        <select value={filters.status} onChange={(event) => set({ status: event.currentTarget.value })}>
          <option value="">Any status</option>
          <option value="OPEN">Open</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {status.charAt(0) + status.slice(1).toLowerCase()}
            </option>
          ))}
        </select>
      </label>
      <Typed label="Workflow type" value={filters.type} options={types} onChange={(type) => set({ type })} />
      <Typed label="Task queue" value={filters.queue} options={queues} onChange={(queue) => set({ queue })} />
      <label>
        <span class="visually-hidden">Created</span>
        <select
          value={isCustom ? 'custom' : filters.since}
          onChange={(event) => set({ since: event.currentTarget.value, from: '', to: '' })}
        >
          <option value="">Any time</option>
          {Object.entries(SINCE).map(([name, [label]]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          <option value="custom">Between…</option>
        </select>
      </label>
      {isCustom && (
        <>
          <Moment label="From" value={filters.from} onChange={(from) => set({ from })} />
          <Moment label="To" value={filters.to} onChange={(to) => set({ to })} />
        </>
      )}
      {filters.schedule !== '' && (
        <button type="button" class="chip" onClick={() => set({ schedule: '' })}>
          Schedule {filters.schedule}
          <Icon name="cross" size={12} />
        </button>
      )}
      {hasFilters(filters) && (
        <button type="button" class="button small quiet" onClick={() => onChange(NOTHING)}>
          Clear
        </button>
      )}
    </search>
  );
};

const NOTHING: RunFilters = { search: '', status: '', type: '', queue: '', schedule: '', since: '', from: '', to: '' };

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'search' | 'text';
  readonly options?: readonly string[];
}

/** Tells of what was typed after a pause, not with every key. */
const Typed = ({ label, value, onChange, type = 'text', options }: TypedProps) => {
  const [text, setText] = useState(value);
  /** Other filters may change while the pause lasts. */
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => tell.current(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const id = `options-${label.replaceAll(' ', '-')}`;
  return (
    <label class={type === 'search' ? 'search-field' : ''}>
      {type === 'search' && <Icon name="search" />}
      <span class="visually-hidden">{label}</span>
      <input
        type={type}
        value={text}
        placeholder={label}
        list={options === undefined ? undefined : id}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {type === 'search' && <SearchKey />}
      {options !== undefined && (
        <datalist id={id}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  );
};

interface MomentProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const Moment = ({ label, value, onChange }: MomentProps) => (
  <label class="moment">
    <span>{label}</span>
    <input type="datetime-local" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  </label>
);
