import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measurePeers } from './peers/measure-peers.ts';
import { installPeers } from './peers/peer-packages.ts';
import { FULL_PEERS, QUICK_PEERS } from './peers/peer-sizes.ts';
import { PEER_NAMES, startPeers } from './peers/peers.ts';
import { peersTable } from './peers/peers-table.ts';
import { compile } from './speed/compile.ts';

/** Kagzi beside the durable engines people would use instead, on this machine and one Node. */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    /** Like restate,dbos. */
    only: { type: 'string', default: PEER_NAMES.join(',') },
  },
});
const asked = values.only.split(',').map((name) => name.trim());
const unknown = asked.filter((name) => !PEER_NAMES.some((known) => known === name));
if (unknown.length > 0) {
  process.stderr.write(`There is no peer "${unknown.join('", "')}": choose from ${PEER_NAMES.join(', ')}.\n`);
  process.exit(1);
}
const progress = (line: string): void => void process.stderr.write(`${line}\n`);
const directory = mkdtempSync(join(tmpdir(), 'kagzi-peers-'));
// PostgreSQL may run as another user than we do.
chmodSync(directory, 0o711);
compile();
const packages = installPeers(progress);
const only = new Set(PEER_NAMES.filter((name) => asked.includes(name)));
const { peers, skipped } = await startPeers(packages, directory, only);
try {
  const sizes = values.quick ? QUICK_PEERS : FULL_PEERS;
  const report = await measurePeers(packages, directory, peers, skipped, sizes, progress);
  process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : peersTable(report)}\n`);
} finally {
  for (const peer of peers) await peer.stop();
  rmSync(directory, { recursive: true, force: true });
}
