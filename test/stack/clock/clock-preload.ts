import { installClock, moveClock } from './moved-clock.ts';

/** Loaded before a function's bundle: its clock is ahead by what the URL of this file says, and by what it is told later. */
installClock(Number(new URL(import.meta.url).searchParams.get('ahead') ?? 0));

process.on('message', (message: { readonly moveMs?: number }) => {
  if (message.moveMs !== undefined) moveClock(message.moveMs);
});
