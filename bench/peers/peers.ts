import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ContenderOptions } from '../speed/contender.ts';
import { PEER_VERSIONS, type PeerPackages } from './peer-packages.ts';
import { findPostgres, startPostgres } from './postgres-server.ts';
import { startRestate } from './restate-server.ts';

/** A peer that is ready to be measured: what runs beside its process is up. */
export interface Peer {
  readonly name: PeerName;
  readonly version: string;
  readonly options: Omit<ContenderOptions, 'maxConcurrent'>;
  stop(): Promise<void>;
}

export const PEER_NAMES = ['restate', 'dbos', 'openworkflow'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

type Start = (packages: PeerPackages, directory: string) => Promise<Peer>;

const STARTS: Readonly<Record<PeerName, Start>> = {
  async restate({ folder }, directory) {
    const { server, address } = await startRestate(folder, join(directory, 'server'));
    return {
      name: 'restate',
      version: `Restate ${PEER_VERSIONS.restate['@restatedev/restate-server']}`,
      options: { directory, packages: folder, address: JSON.stringify(address) },
      stop: () => server.stop(),
    };
  },
  async dbos({ folder }, directory) {
    const { server, url } = await startPostgres(requirePostgres(), join(directory, 'postgres'));
    return {
      name: 'dbos',
      version: `DBOS ${PEER_VERSIONS.dbos['@dbos-inc/dbos-sdk']} on PostgreSQL`,
      options: { directory, packages: folder, address: url },
      stop: () => server.stop(),
    };
  },
  async openworkflow({ folder }, directory) {
    return {
      name: 'openworkflow',
      version: `OpenWorkflow ${PEER_VERSIONS.openworkflow.openworkflow} on SQLite`,
      options: { directory, packages: folder },
      stop: async () => undefined,
    };
  },
};

function requirePostgres(): string {
  const programs = findPostgres();
  if (programs === null) throw new Error('there is no PostgreSQL here');
  return programs;
}

/** Those that can run here; whoever cannot is named loudly, and the ratios are then those to the others. */
export async function startPeers(
  packages: PeerPackages,
  directory: string,
  only: ReadonlySet<PeerName>,
): Promise<{ readonly peers: readonly Peer[]; readonly skipped: Readonly<Record<string, string>> }> {
  const peers: Peer[] = [];
  const skipped: Record<string, string> = {};
  for (const name of PEER_NAMES) {
    if (!only.has(name)) {
      skipped[name] = 'it was not asked for';
      continue;
    }
    const folder = join(directory, name);
    mkdirSync(folder, { recursive: true });
    try {
      peers.push(await STARTS[name](packages, folder));
    } catch (error) {
      skipped[name] = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${name.toUpperCase()} IS SKIPPED: ${skipped[name]}\n`);
    }
  }
  return { peers, skipped };
}
