import type { Call } from './call.ts';
import { matchPath } from './match-path.ts';
import { ROUTES } from './routes.ts';

export interface FoundCall {
  readonly call: Call;
  readonly params: Readonly<Record<string, string>>;
}

export function findCall(method: string, path: string): FoundCall | null {
  for (const call of ROUTES) {
    const params = call.method === method ? matchPath(call.path, path) : null;
    if (params !== null) return { call, params };
  }
  return null;
}
