import { spawn } from 'node:child_process';
import { bundled } from './bundle.ts';
import { FLAGS } from './run-script.ts';

/** Plays schedules and sleeps in a process of its own, as one file of plain JavaScript: that takes half the time. */
const script = await bundled('play-time.ts');
const child = spawn(process.execPath, [...FLAGS, script, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('close', (code) => process.exit(code ?? 1));
