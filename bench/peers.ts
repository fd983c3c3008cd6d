import { chmodSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measurePeers } from './peers/measure-peers.ts';
import { installPeers } from './peers/peer-packages.ts';
import { FULL_PEERS, QUICK_PEERS } from './peers/peer-sizes.ts';
import { PEER_NAMES, type PeerName, startPeers } from './peers/peers.ts';
import { peersTable } from './peers/peers-table.ts';
import { PlainError, runCommand } from './plain-error.ts';
import { removeScratch, scratchFolder } from './scratch.ts';
import { compile } from './speed/compile.ts';

function readOnly(text: string): ReadonlySet<PeerName> {
  const asked = text.split(',').map((name) => name.trim());
  const unknown = asked.filter((name) => !PEER_NAMES.some((known) => known === name));
  if (unknown.length > 0) {
    throw new PlainError(`There is no peer "${unknown.join('", "')}": choose from ${PEER_NAMES.join(', ')}.`);
  }
  return new Set(PEER_NAMES.filter((name) => asked.includes(name)));
}

/** Kagzi beside the durable engines people would use instead, on this machine and one Node. */
await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      /** Like restate,dbos. */
      only: { type: 'string', default: PEER_NAMES.join(',') },
    },
  });
  const only = readOnly(values.only);
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const directory = scratchFolder('peers');
  // PostgreSQL may run as another user than we do.
  chmodSync(directory, 0o711);
  compile();
  const packages = installPeers(progress);
  const { peers, skipped } = await startPeers(packages, directory, only);
  try {
    const sizes = values.quick ? QUICK_PEERS : FULL_PEERS;
    const report = await measurePeers(packages, directory, peers, skipped, sizes, progress);
    process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : peersTable(report)}\n`);
  } finally {
    for (const peer of peers) await peer.stop();
    removeScratch(directory);
  }
});
