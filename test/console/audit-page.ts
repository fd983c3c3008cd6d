import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

interface Found {
  readonly passes: readonly { readonly id: string }[];
  readonly violations: readonly Violation[];
}

/** What axe has against the page as it is now, from serious on: `rule: where, and why`. By the rules that are named, or all. */
export async function auditPage(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  // Where scripts of others are allowed: by `bypassCSP`.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  const options = rules.length === 0 ? {} : { runOnly: rules };
  const { passes, violations } = await page.evaluate<Found>(`axe.run(document, ${JSON.stringify(options)})`);
  if (!passes.some(({ id }) => id === 'color-contrast')) return ['axe has not looked at any contrast'];
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}
