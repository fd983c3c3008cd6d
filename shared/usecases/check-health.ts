import { isDraining } from '../store/drain.ts';
import type { Engine } from '../store/engine.ts';

export interface Health {
  readonly status: 'SERVING' | 'NOT_SERVING';
  readonly message: string;
  readonly checkedAt: number;
  readonly draining: boolean;
}

/** Serving means that the store answers. */
export async function checkHealth(engine: Engine): Promise<Health> {
  const checkedAt = engine.clock.now();
  try {
    const draining = await isDraining(engine);
    const message = draining ? 'The store answers; the engine is draining.' : 'The store answers.';
    return { status: 'SERVING', message, checkedAt, draining };
  } catch (error) {
    engine.telemetry.log('error', 'health check failed', { error: String(error) });
    return { status: 'NOT_SERVING', message: 'The store does not answer.', checkedAt, draining: false };
  }
}
