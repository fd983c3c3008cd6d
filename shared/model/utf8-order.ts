const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Compares well-formed strings as their UTF-8 bytes; `<` differs where a surrogate pair meets U+E000 to U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (isSurrogate(x) !== isSurrogate(y)) return isSurrogate(x) ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export const isWellFormed = (text: string): boolean => text.isWellFormed();

export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8');
