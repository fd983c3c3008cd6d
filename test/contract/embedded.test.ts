import { FileBlobs } from '../../local/file-blobs.ts';
import { SqliteQueue } from '../../local/sqlite-queue.ts';
import { SqliteTimers } from '../../local/sqlite-timers.ts';
import { MemoryBlobs } from '../../sdk/testing/memory-blobs.ts';
import { SystemClock } from '../../shared/system/system-clock.ts';
import { embeddedStore } from '../helpers/embedded-store.ts';
import { describeBlobsContract } from './blobs-contract.ts';
import { describeQueueContract, type QueueUnderTest } from './queue-contract.ts';
import { describeQueueSelectionContract } from './queue-selection-contract.ts';
import { describeTimersContract } from './timers-contract.ts';

async function makeQueue(): Promise<QueueUnderTest> {
  const embedded = embeddedStore();
  return {
    queue: new SqliteQueue(embedded.store, embedded.clock, { maxReceives: 3 }),
    advance: (ms) => embedded.clock.advance(ms),
    close: () => embedded.remove(),
  };
}

describeQueueContract('embedded', makeQueue, { maxReceives: 3 });
describeQueueSelectionContract('embedded', makeQueue);

describeTimersContract('embedded', async () => {
  const embedded = embeddedStore();
  const queue = new SqliteQueue(embedded.store, embedded.clock);
  const timers = new SqliteTimers(embedded.store, queue, embedded.clock);
  await timers.start();
  return {
    timers,
    queue,
    now: () => embedded.clock.now(),
    advance: (ms) => embedded.clock.advance(ms),
    close: () => embedded.remove(),
  };
});

describeBlobsContract('embedded', async () => {
  const embedded = embeddedStore();
  return { blobs: new FileBlobs(embedded.directory), close: () => embedded.remove() };
});

describeBlobsContract('memory', async () => ({
  blobs: new MemoryBlobs(new SystemClock()),
  close: async () => undefined,
}));
