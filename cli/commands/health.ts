import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../sdk/client/api-error.ts';
import type { HttpApi } from '../../sdk/client/http-api.ts';
import { defineCommand, printJson } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readDuration } from '../read-duration.ts';

interface Health {
  readonly status: string;
  readonly message: string;
}

interface Info {
  readonly version: string;
}

export const health = defineCommand({
  name: 'health',
  summary: 'Whether the engine serves; exits with 0 only if it does',
  options: { wait: { type: 'string', value: 'TIME', help: 'until it serves, at most this long, such as 10s' } },
  async run(terminal, _args, { wait }) {
    const api = terminal.connect({ attempts: 1 });
    const answer = await answered(api, wait === undefined ? 0 : readDuration('wait', wait));
    const info = await api.call<Info>({ path: '/info' });
    if (terminal.json) printJson(terminal, { ...answer, ...info });
    else terminal.print(`${answer.status}: ${answer.message} (version ${info.version})`);
    return EXIT.ok;
  },
});

async function answered(api: HttpApi, waitMs: number): Promise<Health> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await api.call<Health>({ path: '/health' });
    } catch (error) {
      const mayCome = error instanceof ApiError && (error.status === 0 || error.status === 503);
      if (!mayCome || performance.now() >= deadline) throw error;
      await pause(200);
    }
  }
}
