import { describe, expect, it } from 'vitest';
import { Stop } from '../../shared/model/stop.ts';
import { PortError } from '../../shared/ports/port-error.ts';
import type { Condition, Item, PutResult, Table, UpdateResult } from '../../shared/ports/table.ts';
import type { TableUnderTest } from './table-under-test.ts';

/** Applies the write, and then loses the answer. */
function lossy(table: Table): Pick<Table, 'put' | 'update'> {
  const lose = async (answer: Promise<unknown>): Promise<never> => {
    await answer;
    throw new PortError('unknown', 'the answer was lost');
  };
  return {
    put: (item, condition) => lose(table.put(item, condition)),
    update: (key, changes, condition) => lose(table.update(key, changes, condition)),
  };
}

export function describeConcurrency(subject: TableUnderTest): void {
  describe('many at once', () => {
    it('lets one of 64 conditional claims win, and shows it to the others', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      await subject.table.put({ ...key, epoch: 0 });
      const unclaimed: Condition = { op: '=', attr: 'epoch', value: 0 };
      const claims = Array.from({ length: 64 }, (_, n) =>
        subject.table.update(key, { set: { owner: n }, add: { epoch: 1 } }, unclaimed),
      );
      const results: readonly UpdateResult[] = await Promise.all(claims);
      const winners = results.flatMap((result, n) => (result.ok ? [n] : []));
      expect(winners).toHaveLength(1);
      const losers = results.flatMap((result) => (result.ok ? [] : [result.current]));
      for (const loser of losers) expect(loser).toMatchObject({ owner: winners[0], epoch: 1 });
    });

    it('lets one of 64 first puts win', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      const puts = Array.from({ length: 64 }, (_, n) =>
        subject.table.put({ ...key, n }, { op: 'missing', attr: 'pk' }),
      );
      const results: readonly PutResult[] = await Promise.all(puts);
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      const { item } = await subject.table.get(key, { consistent: true });
      const losers = results.flatMap((result) => (result.ok ? [] : [result.current]));
      for (const loser of losers) expect(loser).toEqual(item);
    });

    it('loses no addition', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      await Promise.all(Array.from({ length: 64 }, () => subject.table.update(key, { add: { n: 1 } })));
      expect((await subject.table.get(key, { consistent: true })).item).toEqual({ ...key, n: 64 });
    });
  });

  describe('a write whose answer was lost', () => {
    it('is recognised by its write id in the item that beats the second try', async () => {
      const key = { pk: subject.fresh(), sk: 's' };
      const item: Item = { ...key, writeId: 'w1' };
      const first: Condition = { op: 'missing', attr: 'pk' };
      await expect(lossy(subject.table).put(item, first)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await subject.table.put(item, first)).toMatchObject({ ok: false, current: { writeId: 'w1' } });

      const changes = { set: { writeId: 'w2' }, add: { epoch: 1 } };
      const unclaimed: Condition = { op: 'missing', attr: 'epoch' };
      await expect(lossy(subject.table).update(key, changes, unclaimed)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await subject.table.update(key, changes, unclaimed)).toMatchObject({
        ok: false,
        current: { writeId: 'w2', epoch: 1 },
      });
    });
  });

  it('awaitChange answers when it is told to', async () => {
    const stop = new Stop();
    const waiting = subject.table.awaitChange({ pk: subject.fresh(), sk: 's' }, 600_000, stop);
    stop.tell();
    await waiting;
    await subject.table.awaitChange({ pk: subject.fresh(), sk: 's' }, 600_000, stop);
  });

  it('awaitChange answers by the end of its time', async () => {
    const begun = performance.now();
    await subject.table.awaitChange({ pk: subject.fresh(), sk: 's' }, 60);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
}
