/** `METHOD /path` or `$default`, as in a template. */
export interface RouteMatch<Route> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * As an HTTP API selects: a whole path before one with a greedy part, a method before ANY, `$default` last; of two
 * paths the one with more text of its own.
 */
export function matchRoute<Route extends { readonly key: string }>(
  routes: readonly Route[],
  method: string,
  path: string,
): RouteMatch<Route> | null {
  const found = routes.flatMap((route) => {
    const [verb = '', template = ''] = route.key.split(' ');
    if (route.key === '$default') return [{ route, params: {}, rank: 0 }];
    if (verb !== 'ANY' && verb !== method) return [];
    const params = matchTemplate(template, path);
    return params === null ? [] : [{ route, params, rank: rankOf(template) + (verb === 'ANY' ? 0 : 1) }];
  });
  const [best] = found.sort((a, b) => b.rank - a.rank);
  return best === undefined ? null : { route: best.route, params: best.params };
}

function rankOf(template: string): number {
  const parts = template.split('/').slice(1);
  const fixed = parts.filter((part) => !part.startsWith('{')).length;
  return (template.includes('+}') ? 1_000 : 2_000) + fixed * 10;
}

function matchTemplate(template: string, path: string): Record<string, string> | null {
  const [wanted, given] = [template.split('/'), path.split('/')];
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const [, name = null, greedy = ''] = /^\{(\w+)(\+?)\}$/.exec(part) ?? [];
    const value = given[index];
    if (greedy !== '' && name !== null) {
      const rest = given.slice(index).join('/');
      return rest === '' ? null : { ...params, [name]: rest };
    }
    if (value === undefined || (name === null && value !== part) || (name !== null && value === '')) return null;
    if (name !== null) params[name] = value;
  }
  return wanted.length === given.length ? params : null;
}
