import { routeKey } from '../../functions/api/routes.ts';
import { SeededRandom } from '../helpers/seeded-random.ts';
import { type Breach, breachesOf, differsFromUnknown } from './breaches.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { type FuzzedRequest, fuzzedRequests, NAMESPACES, OTHER_NAMESPACE } from './fuzzed-requests.ts';
import { type KnownThings, unknownThing } from './known-things.ts';
import { makesWhatItNames, namesThings, toWire, withToken } from './resolve-request.ts';
import type { WireRequest } from './wire-request.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** The first request of the seed to send. */
  readonly from: number;
  readonly requests: number;
  readonly say: (line: string) => void;
}

/** A request that was not answered as it should be. */
export interface Finding extends Breach {
  readonly index: number;
  /** As it was before it became text. */
  readonly request: FuzzedRequest;
  readonly route: string;
  readonly wire: WireRequest;
  readonly overHttp: boolean;
}

export interface FuzzRun {
  readonly sent: number;
  readonly overHttp: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Routes that a request was good for, by its success. */
  readonly routes: ReadonlySet<string>;
  /** Requests for a neighbour's things, each compared with the same for things there are not. */
  readonly compared: number;
  readonly findings: readonly Finding[];
}

/** Which requests to leave out or to simplify, while a finding is made smaller. */
export type Rewrite = (request: FuzzedRequest, index: number) => FuzzedRequest | null;

/** A new engine: what there is would only grow, and slow it all down. */
const WORLD_EVERY = 2_500;
const REFRESH_EVERY = 40;
const TIME_EVERY = 60;
const SAY_EVERY = 5_000;

/** The same seed sends the same requests and gets the same answers. */
export async function fuzz(options: FuzzOptions, rewrite: Rewrite = (request) => request): Promise<FuzzRun> {
  let world = await FuzzWorld.open();
  const statuses: Record<string, number> = {};
  const routes = new Set<string>();
  const findings: Finding[] = [];
  let [sent, overHttp, compared] = [0, 0, 0];
  try {
    let index = options.from - 1;
    for (const generated of fuzzedRequests(options.seed, options.from)) {
      index += 1;
      if (index >= options.from + options.requests) break;
      const chance = new SeededRandom(options.seed, `request ${index}`);
      if (index % WORLD_EVERY === 0 && index > options.from) {
        await world.close();
        world = await FuzzWorld.open();
      }
      if (index % REFRESH_EVERY === 0) await world.refresh();
      if (index % TIME_EVERY === 0) await world.passes(chance.between(1, 20) * 1_000);
      if (sent > 0 && sent % SAY_EVERY === 0) options.say(`${sent} requests sent, ${findings.length} findings`);
      const request = rewrite(generated, index);
      if (request === null) continue;
      const plan = planOf(request, world, chance);
      const asked = new Set<string>();
      const wire = toWire(plan.request, (name) => {
        const named = plan.naming(name);
        if (named !== name) asked.add(named);
        return named;
      });
      const goesOverHttp = chance.chance(0.2) && FuzzWorld.canGoOverHttp(wire);
      const found = (breach: Breach): void =>
        void findings.push({
          ...breach,
          index,
          request,
          route: `${request.method} ${request.path}`,
          wire,
          overHttp: goesOverHttp,
        });

      const answered = await world.send(wire, goesOverHttp);
      sent += 1;
      if (goesOverHttp) overHttp += 1;
      const { status, body } = answered.answer;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 300 && answered.call !== null) routes.add(routeKey(answered.call));
      for (const breach of breachesOf(wire, answered)) found(breach);
      if (plan.isForeign) {
        compared += 1;
        const at = index;
        const unknown = toWire(plan.request, (name) => unknownThing(name, request.pick, at));
        const twin = await world.send(unknown, goesOverHttp);
        const difference = differsFromUnknown(answered, twin, asked);
        if (difference !== null) found({ kind: 'crossNamespace', what: difference });
      } else if (status < 300) {
        plan.things.learn(plan.request, body);
      }
    }
  } finally {
    await world.close();
  }
  return { sent, overHttp, statuses, routes, compared, findings };
}

interface Plan {
  readonly request: FuzzedRequest;
  readonly naming: (name: string) => string;
  readonly things: KnownThings;
  /** Asks one namespace for the things of another. */
  readonly isForeign: boolean;
}

const FOREIGN_CHANCE = 0.15;

function planOf(request: FuzzedRequest, world: FuzzWorld, chance: SeededRandom): Plan {
  const [mine, theirs] = [NAMESPACES[0], OTHER_NAMESPACE].map((name) => world.things.get(name)) as [
    KnownThings,
    KnownThings,
  ];
  const { namespace } = request.params;
  const mayBeForeign = typeof namespace === 'string' && namesThings(request) && !makesWhatItNames(request);
  const isForeign = chance.chance(FOREIGN_CHANCE) && mayBeForeign;
  if (isForeign) {
    const asked = { ...request, params: { ...request.params, namespace: OTHER_NAMESPACE } };
    return { request: asked, naming: (name) => mine.named(name, request.pick), things: mine, isForeign };
  }
  const things = namespace === OTHER_NAMESPACE ? theirs : mine;
  return {
    request: withToken(request, things),
    naming: (name) => things.named(name, request.pick),
    things,
    isForeign,
  };
}
