import type { LocalServer } from './server.ts';
import type { Settings } from './settings.ts';

/** What a person sees first: where it listens, where the data is, and something to try. */
export function welcome({ url, draining }: Pick<LocalServer, 'url' | 'draining'>, settings: Settings): string {
  const token = settings.apiToken === undefined ? '' : ` -H "authorization: Bearer $KAGZI_API_TOKEN"`;
  const lines = [
    '',
    '  Kagzi is running.',
    '',
    `    API       ${url}   (the calls: ${url}/openapi.json)`,
    `    Data      ${settings.dataDir}`,
    '',
    '  Start a first run:',
    '',
    `    curl -s ${url}/v1/default/runs${token} -H 'content-type: application/json' \\`,
    `      -d '{"workflow_type": "hello", "input": {"name": "world"}}'`,
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
