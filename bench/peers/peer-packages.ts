import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE = `node-${process.platform}-${process.arch}`;

/** Pinned: figures of other versions are other figures. */
export const PEER_VERSIONS = {
  restate: {
    '@restatedev/restate-server': '1.7.12',
    '@restatedev/restate-sdk': '1.17.2',
    '@restatedev/restate-sdk-clients': '1.17.2',
  },
  openworkflow: { openworkflow: '0.10.1' },
  dbos: { '@dbos-inc/dbos-sdk': '5.3.0' },
} as const;
/** One Node for all: OpenWorkflow needs 22 or newer for its SQLite. */
const NODE_VERSION = '24.21.0';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/kagzi-peers', import.meta.url));

export interface PeerPackages {
  readonly folder: string;
  /** The Node that everybody is measured on. */
  readonly node: string;
}

/** Installs the peers from the npm registry, once; they are no dependencies of the project. */
export function installPeers(progress: (line: string) => void): PeerPackages {
  const wanted = JSON.stringify({
    private: true,
    dependencies: {
      ...PEER_VERSIONS.restate,
      ...PEER_VERSIONS.openworkflow,
      ...PEER_VERSIONS.dbos,
      [NODE]: NODE_VERSION,
    },
  });
  const packageFile = join(FOLDER, 'package.json');
  const installed = join(FOLDER, 'installed');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== wanted) {
    progress('installing the peers');
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(packageFile, wanted);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const { status, stderr } = spawnSync('npm', args, { cwd: FOLDER, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the peers cannot be installed:\n${stderr}`);
    writeFileSync(installed, wanted);
  }
  return { folder: FOLDER, node: join(FOLDER, 'node_modules', NODE, 'bin', 'node') };
}
