import { ROUTES, routeKey } from '../../functions/api/routes.ts';
import { type BreachKind, withoutIds } from './breaches.ts';
import { type FuzzOptions, type FuzzRun, fuzz } from './fuzz.ts';
import { type Smallest, shrinkFinding } from './shrink-finding.ts';
import { curlLine } from './wire-request.ts';

export interface FuzzResult {
  readonly seed: number;
  readonly from: number;
  readonly requests: number;
  readonly overHttp: number;
  readonly statuses: FuzzRun['statuses'];
  /** How many of the document's routes have answered a request with success. */
  readonly routes: number;
  readonly routesWithout: readonly string[];
  readonly compared: number;
  readonly serverErrors: number;
  readonly schemaBreaches: number;
  readonly undocumented: number;
  readonly writesOnRefusal: number;
  readonly crossNamespace: number;
  readonly leaks: number;
  readonly seconds: number;
}

export interface FuzzReport {
  readonly result: FuzzResult;
  /** One of each sort, as small as it could be made, with the command that repeats it. */
  readonly findings: readonly string[];
}

const SHRUNK_AT_MOST = 8;

export async function fuzzReport(options: FuzzOptions): Promise<FuzzReport> {
  const startedAt = performance.now();
  const run = await fuzz(options);
  const count = (kind: BreachKind): number => run.findings.filter((finding) => finding.kind === kind).length;
  const result: FuzzResult = {
    seed: options.seed,
    from: options.from,
    requests: run.sent,
    overHttp: run.overHttp,
    statuses: run.statuses,
    routes: run.routes.size,
    routesWithout: ROUTES.map(routeKey).filter((key) => !run.routes.has(key)),
    compared: run.compared,
    serverErrors: count('serverError'),
    schemaBreaches: count('schema'),
    undocumented: count('undocumented'),
    writesOnRefusal: count('writeOnRefusal'),
    crossNamespace: count('crossNamespace'),
    leaks: count('leak'),
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
  };
  const sorts = new Map(
    run.findings.map((finding) => [`${finding.kind} ${finding.route} ${withoutIds(finding.what)}`, finding]),
  );
  const findings: string[] = [];
  for (const finding of [...sorts.values()].slice(0, SHRUNK_AT_MOST)) {
    findings.push(explain(await shrinkFinding(options, finding)));
  }
  if (sorts.size > SHRUNK_AT_MOST) findings.push(`and ${sorts.size - SHRUNK_AT_MOST} more sorts`);
  return { result, findings };
}

const explain = ({ finding, from, requests, seed, simplified }: Smallest): string =>
  [
    `${finding.kind}: ${finding.what}${finding.overHttp ? ' (over HTTP)' : ''}`,
    `  ${curlLine(finding.wire)}${simplified ? '  # made smaller' : ''}`,
    `  npm run fuzz -- --seed ${seed} --from ${from} --requests ${requests}`,
  ].join('\n');
