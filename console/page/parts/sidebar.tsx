import { useState } from 'preact/hooks';
import { callApi } from '../api.ts';
import type { EngineName } from '../engine-name.ts';
import { useLive } from '../live.ts';
import { goTo, hrefOf, type Route, type View } from '../route.ts';
import { applyTheme, chosenTheme, THEMES, type Theme } from '../theme.ts';
import type { Paged } from '../wire.ts';
import { Icon, type IconName } from './icon.tsx';

const ITEMS: readonly (readonly [View, string, IconName])[] = [
  ['runs', 'Runs', 'list'],
  ['schedules', 'Schedules', 'calendar'],
  ['workers', 'Workers', 'cpu'],
  ['health', 'Health', 'pulse'],
];
const THEME_ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };

export const Sidebar = ({ route, engine }: { readonly route: Route; readonly engine: EngineName }) => (
  <header class="sidebar">
    <a class="brand" href={hrefOf({ namespace: route.namespace, view: 'runs' })}>
      <img src="icon.svg" alt="" width="26" height="26" />
      <span>Kagzi</span>
      {engine.name !== '' && (
        <span class={engine.name === 'local' ? 'engine-name' : 'engine-name deployed'} title={engine.url}>
          {engine.name}
        </span>
      )}
    </a>
    <NamespaceChoice route={route} />
    <nav aria-label="Views">
      {ITEMS.map(([view, label, icon]) => (
        <a
          key={view}
          href={hrefOf({ namespace: route.namespace, view })}
          aria-current={route.view === view ? 'page' : undefined}
        >
          <Icon name={icon} size={18} />
          <span>{label}</span>
        </a>
      ))}
    </nav>
    <ThemeChoice />
  </header>
);

interface Namespaces extends Paged {
  readonly namespaces: readonly { readonly name: string }[];
}

const NamespaceChoice = ({ route }: { readonly route: Route }) => {
  const { data } = useLive<Namespaces>(
    'namespaces',
    (signal) => callApi('/v1/namespaces', { query: { page_size: 100 }, signal }),
    () => ({ minMs: 30_000, maxMs: 120_000 }),
  );
  const names = [...new Set(['default', ...(data?.namespaces.map(({ name }) => name) ?? []), route.namespace])].sort();
  return (
    <label class="namespace">
      <span>Namespace</span>
      <select
        value={route.namespace}
        onChange={(event) => goTo(hrefOf({ namespace: event.currentTarget.value, view: route.view }))}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
};

const ThemeChoice = () => {
  const [theme, setTheme] = useState(chosenTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
  const change = (): void => {
    applyTheme(next);
    setTheme(next);
  };
  const name = `${theme.charAt(0).toUpperCase() + theme.slice(1)} theme`;
  return (
    <button type="button" class="theme" onClick={change} aria-label={`${name}; change to ${next}`}>
      <Icon name={THEME_ICONS[theme]} size={18} />
      <span>{name}</span>
    </button>
  );
};
