import { useState } from 'preact/hooks';
import type { EngineName } from '../engine-name.ts';
import { hrefOf, type Route, type View } from '../route.ts';
import { applyTheme, chosenTheme, THEMES, type Theme } from '../theme.ts';
import { Icon, type IconName } from './icon.tsx';
import { NamespaceChoice } from './namespace-choice.tsx';

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
