import { useEffect, useState } from 'preact/hooks';

export const VIEWS = ['runs', 'schedules', 'workers', 'health'] as const;
export type View = (typeof VIEWS)[number];
export type Query = Readonly<Record<string, string>>;

/** `#/default/runs/0190…?step=charge` */
export interface Route {
  readonly namespace: string;
  readonly view: View;
  readonly id: string | null;
  readonly query: Query;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [namespace = '', view = '', id = ''] = path.split('/').map(decoded);
  return {
    namespace: namespace === '' ? 'default' : namespace,
    view: VIEWS.find((name) => name === view) ?? 'runs',
    id: id === '' ? null : id,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function hrefOf({
  namespace,
  view,
  id = null,
  query = {},
}: Partial<Route> & Pick<Route, 'namespace' | 'view'>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${encodeURIComponent(namespace)}/${view}${id === null ? '' : `/${encodeURIComponent(id)}`}${text}`;
}

export const runHref = (namespace: string, runId: string, query: Query = {}): string =>
  hrefOf({ namespace, view: 'runs', id: runId, query });

export const goTo = (href: string): void => location.assign(href);
/** Without an entry in the history: for filters that are being typed. */
export const replaceWith = (href: string): void => {
  history.replaceState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
};

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
