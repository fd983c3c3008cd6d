import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from '../../shared/ports/blobs.ts';
import { type BlobsFlaw, itUnless } from './engine-flaws.ts';

export interface BlobsUnderTest {
  readonly blobs: Blobs;
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export function describeBlobsContract(
  name: string,
  makeBlobs: () => Promise<BlobsUnderTest>,
  { flaws = [] }: { readonly flaws?: readonly BlobsFlaw[] | undefined } = {},
): void {
  describe(`blobs contract: ${name}`, () => {
    let test: BlobsUnderTest;
    let blobs: Blobs;
    const keys = async (prefix: string, after?: string, limit = 100): Promise<readonly string[]> => {
      const page = await blobs.list({ prefix, limit, ...(after !== undefined && { after }) });
      return page.blobs.map((blob) => blob.key);
    };

    beforeEach(async () => {
      test = await makeBlobs();
      blobs = test.blobs;
    });
    afterEach(() => test.close());

    it('gives back what was put, byte for byte', async () => {
      const all = Uint8Array.from({ length: 256 }, (_, i) => i);
      await blobs.put('ns/run/all', all);
      await blobs.put('ns/run/empty', new Uint8Array());
      expect(await blobs.get('ns/run/all')).toEqual(all);
      expect(await blobs.get('ns/run/empty')).toEqual(new Uint8Array());
    });

    it('answers null for what is not there', async () => {
      await blobs.put('a/b', bytes('x'));
      expect(await blobs.get('a')).toBeNull();
      expect(await blobs.get('a/b/c')).toBeNull();
      expect(await blobs.get('z')).toBeNull();
    });

    it('takes the same put again', async () => {
      await blobs.put('a/b', bytes('x'));
      await blobs.put('a/b', bytes('x'));
      expect(await blobs.get('a/b')).toEqual(bytes('x'));
    });

    it('keeps a key and the keys below it apart', async () => {
      await blobs.put('a', bytes('1'));
      await blobs.put('a/b', bytes('2'));
      await blobs.delete(['a']);
      expect(await blobs.get('a')).toBeNull();
      expect(await blobs.get('a/b')).toEqual(bytes('2'));
    });

    it('deletes many, and what is not there harmlessly', async () => {
      await blobs.put('a/1', bytes('1'));
      await blobs.put('a/2', bytes('2'));
      await blobs.put('a/3', bytes('3'));
      await blobs.delete(['a/1', 'a/3', 'a/4', 'q/r']);
      expect(await keys('')).toEqual(['a/2']);
      await blobs.put('a/1', bytes('again'));
      expect(await blobs.get('a/1')).toEqual(bytes('again'));
    });

    itUnless(flaws, 'alphabetical-order', 'lists in byte order', async () => {
      const sorted = ['B', 'a', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a/c', 'a0', 'a_b', 'b/a'];
      for (const key of [...sorted].reverse()) await blobs.put(key, bytes(key));
      expect(await keys('')).toEqual(sorted);
    });

    it('lists with sizes and times', async () => {
      await blobs.put('a/b/c', bytes('a/b/c'));
      const { blobs: found } = await blobs.list({ prefix: 'a/b/', limit: 5 });
      expect(found).toMatchObject([{ key: 'a/b/c', bytes: 5 }]);
      expect(Number.isInteger(found[0]?.modifiedAt)).toBe(true);
    });

    it('lists by any prefix, whole parts or not', async () => {
      for (const key of ['ns/ab/1', 'ns/ac/1', 'ns/b/1', 'other/1']) await blobs.put(key, bytes('x'));
      expect(await keys('ns/a')).toEqual(['ns/ab/1', 'ns/ac/1']);
      expect(await keys('ns/ab/1')).toEqual(['ns/ab/1']);
      expect(await keys('nothing/')).toEqual([]);
    });

    it('pages through all of them', async () => {
      const all = ['a', 'a/1', 'a/2', 'b/1/x', 'c'];
      for (const key of all) await blobs.put(key, bytes('x'));
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await blobs.list({ prefix: '', limit: 2, ...(after !== undefined && { after }) });
        seen.push(...page.blobs.map((blob) => blob.key));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(seen).toEqual(all);
    });

    it.each(['', '/', 'a//b', '../a', 'a/../b', './a', 'a/', '/a', 'a b', 'a\u0000', 'é', 'a\\b'])(
      'refuses the key %j',
      async (key) => {
        await expect(blobs.put(key, bytes('x'))).rejects.toMatchObject({ failure: 'invalid' });
      },
    );
  });
}
