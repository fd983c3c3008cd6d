import type { LocalServer } from './server.ts';
import type { Settings } from './settings.ts';

export interface Welcome extends Pick<LocalServer, 'url' | 'draining'> {
  /** The workflows served in this process. */
  readonly types: readonly string[];
}

const DEFAULT_URL = 'http://127.0.0.1:8750';

/** What a person sees first: where it listens, where the data is, and something to try. */
export function welcome({ url, draining, types }: Welcome, settings: Settings): string {
  const token = settings.apiToken === undefined ? '' : ` -H "authorization: Bearer $KAGZI_API_TOKEN"`;
  const lines = [
    '',
    '  Kagzi is running.',
    '',
    `    Console   ${url}/console/`,
    `    API       ${url}   (the calls: ${url}/openapi.json)`,
    `    Data      ${settings.dataDir}`,
    ...(types.length === 0 ? [] : [`    Serves    ${types.join(', ')}`]),
    '',
    '  Start a first run:',
    '',
    ...(types.length === 0 ? [] : [`    ${startCommand(types, url)}`, '', '  Or over HTTP:', '']),
    `    curl -s ${url}/v1/default/runs${token} -H 'content-type: application/json' \\`,
    `      -d '${JSON.stringify(firstRun(types))}'`,
    '',
    '  The README goes on from there. Stop with Ctrl-C.',
    '',
  ];
  if (draining) {
    lines.push(
      '  The engine is DRAINING: polls give out no runs. To go on:',
      `    curl -s -X POST ${url}/admin/drain -H 'content-type: application/json' -d '{"drain": false}'`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Without workflows here, the README shows how to be the worker oneself. */
function firstRun(types: readonly string[]): object {
  if (types.length === 0) return { workflow_type: 'hello', input: { name: 'world' } };
  return types.includes('order') ? { workflow_type: 'order', input: { amount: 42 } } : { workflow_type: types[0] };
}

function startCommand(types: readonly string[], url: string): string {
  const at = url === DEFAULT_URL ? '' : ` --url ${url}`;
  if (types.includes('order')) return `npx kagzi start order --input '{"amount": 42}' --wait${at}`;
  return `npx kagzi start ${types[0]} --wait${at}`;
}
