import { join } from 'node:path';
import { type ChildEngine, startChildEngine } from '../../test/helpers/child-engine.ts';
import { freePort } from './free-port.ts';
import type { RestateAddress } from './restate-contender.ts';

const BINARY = `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;

/** One node with its defaults: its log is fsynced. */
export async function startRestate(
  packages: string,
  directory: string,
): Promise<{ readonly server: ChildEngine; readonly address: RestateAddress }> {
  const [ingress, node, servicePort] = [await freePort(), await freePort(), await freePort()];
  const settings = (admin: number): string[] => [
    `RESTATE_BASE_DIR=${directory}`,
    // It leaves folders there.
    `TMPDIR=${directory}`,
    `RESTATE_INGRESS__BIND_PORT=${ingress}`,
    `RESTATE_ADMIN__BIND_PORT=${admin}`,
    `RESTATE_BIND_PORT=${node}`,
    'RESTATE_BIND_IP=127.0.0.1',
    'RESTATE_LISTEN_MODE=tcp',
    'RESTATE_LOG_FILTER=warn',
    'DO_NOT_TRACK=1',
  ];
  const server = await startChildEngine(
    'env',
    (admin) => [...settings(admin), join(packages, BINARY), '--no-logo'],
    async (admin) => {
      const health = await Promise.all([
        fetch(`http://127.0.0.1:${admin}/health`),
        fetch(`http://127.0.0.1:${ingress}/restate/health`),
      ]);
      return health.every(({ ok }) => ok);
    },
  );
  const admin = `http://127.0.0.1:${server.port}`;
  return { server, address: { ingress: `http://127.0.0.1:${ingress}`, admin, servicePort } };
}
