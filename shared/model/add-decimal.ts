import { PortError } from '../ports/port-error.ts';

const MAX_DIGITS = 38;

function toDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Sums as DynamoDB does, in decimal: 0.1 + 0.2 is 0.3. The sum is then the nearest JavaScript number. */
export function addDecimal(a: number, b: number): number {
  const plain = a + b;
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(plain)) return plain;
  const x = toDecimal(a);
  const y = toDecimal(b);
  if (x.digits === 0n) return b;
  if (y.digits === 0n) return a;
  const exponent = Math.min(x.exponent, y.exponent);
  const scaled = (part: typeof x): bigint => part.digits * 10n ** BigInt(part.exponent - exponent);
  const sum = scaled(x) + scaled(y);
  const digits = sum.toString().replace('-', '').replace(/0+$/, '').length;
  if (digits > MAX_DIGITS) throw new PortError('invalid', `a sum of more than ${MAX_DIGITS} digits`);
  return Number(`${sum}e${exponent}`);
}
