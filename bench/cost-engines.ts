import { DYNAMO_ENGINES, type EngineKind, startDynamoEngine } from '../test/helpers/dynamo-engines.ts';
import { chargeEmptyQueries } from './charge-empty-queries.ts';
import { measureCosts, type Sizes } from './cost-scenarios.ts';
import type { CostReport } from './figures.ts';

export const measureEmbedded = async (sizes?: Sizes): Promise<CostReport> => ({
  engine: 'embedded',
  scenarios: await measureCosts(null, sizes),
});

export async function measureDynamo(kind: EngineKind, sizes?: Sizes): Promise<CostReport> {
  const engine = await startDynamoEngine(kind);
  const openTable = async () => {
    const table = await engine.openTable();
    return kind.name === 'DynamoDB Local' ? chargeEmptyQueries(table) : table;
  };
  try {
    return { engine: kind.name, scenarios: await measureCosts(openTable, sizes) };
  } finally {
    await engine.stop();
  }
}

/** The first that can run here, of all or of the one named; or why none can. */
export function chooseEngine(name?: string): EngineKind | { readonly unavailable: readonly string[] } {
  const candidates = DYNAMO_ENGINES.filter((kind) => name === undefined || kind.name === name);
  const unavailable: string[] = [];
  for (const kind of candidates) {
    if (!('unavailable' in kind.launch)) return kind;
    unavailable.push(`${kind.name}: ${kind.launch.unavailable}`);
  }
  return { unavailable };
}

export const ENGINE_NAMES: readonly string[] = [...DYNAMO_ENGINES.map(({ name }) => name), 'embedded'];
