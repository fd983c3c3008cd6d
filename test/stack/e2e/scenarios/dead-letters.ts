import assert from 'node:assert/strict';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { greet } from '../../../../examples/hello.ts';
import type { E2eWorld } from '../e2e-world.ts';
import type { Scenario } from '../scenario.ts';

interface Letters {
  readonly dead_letters: readonly { readonly id: string; readonly run_id: string | null; readonly body: string }[];
}

const HOUR = 3_600_000;

const letters = async (world: E2eWorld): Promise<Letters['dead_letters']> =>
  (await world.api().call<Letters>({ path: '/dead-letters' })).dead_letters;

const redrive = (world: E2eWorld, id: string): Promise<unknown> =>
  world.api().call({ path: `/dead-letters/${id}/redrive`, body: {} });

/** Long enough that what fails is delivered once more: a message stays hidden for half an hour. */
async function passUntilDead(world: E2eWorld, isIt: (letter: Letters['dead_letters'][number]) => boolean) {
  for (let hours = 0; hours < 6; hours += 0.5) {
    const found = (await letters(world)).find(isIt);
    if (found !== undefined) return found;
    await world.bed.pass(HOUR / 2, HOUR / 2);
  }
  throw new Error('it did not become a dead letter');
}

export const DEAD_LETTERS: readonly Scenario[] = [
  {
    name: 'a poison message ends in the dead-letter queue, is listed and sent again',
    short: true,
    async run(world) {
      const QueueUrl = world.bed.standIns.queueUrl('kagzi-dev-tasks-default');
      const text = (StringValue: string) => ({ DataType: 'String', StringValue });
      await world.bed.standIns.fauxqs.sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: 'poison',
          MessageAttributes: { group: text('shop'), kind: text('greet') },
        }),
      );
      const isIt = ({ body }: { readonly body: string }): boolean => body === 'poison';
      const { id } = await passUntilDead(world, isIt);
      await redrive(world, id);
      assert.equal((await letters(world)).some(isIt), false);
      assert.notEqual((await passUntilDead(world, isIt)).id, id, 'another message, which died as well');
    },
  },
  {
    name: 'a run whose messages died while its worker was broken ends once they are sent again',
    short: false,
    async run(world) {
      const worker = world.bed.function('worker-examples');
      worker.outage = 'the worker is broken';
      const handle = await world.client().start(greet, { name: 'Grace' });
      const letter = await passUntilDead(world, ({ run_id }) => run_id === handle.runId).finally(() => {
        worker.outage = null;
      });
      assert.equal(await handle.status(), 'PENDING');
      await redrive(world, letter.id);
      await world.passUntilEnd(handle, HOUR, HOUR / 4);
    },
  },
];
