/** Timers of a process that does nothing else: what the machine itself is late by. */
const delays = JSON.parse(process.argv[2] ?? '[]') as readonly number[];
const lateness = await Promise.all(
  delays.map((ms) => {
    const at = performance.now() + ms;
    return new Promise<number>((resolve) => setTimeout(() => resolve(performance.now() - at), ms));
  }),
);
process.stdout.write(JSON.stringify(lateness));
