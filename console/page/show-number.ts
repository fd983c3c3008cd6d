const PLAIN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const showCount = (value: number): string => PLAIN.format(value);
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${showCount(count)} ${count === 1 ? one : many}`;

/** Fractions of a cent in full: `$0.0000125` */
export function showDollars(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  return `$${dollars.toFixed(Math.min(9, 2 - Math.floor(Math.log10(dollars))))}`;
}
