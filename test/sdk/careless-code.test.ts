import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AnyWorkflow,
  type ClientRun,
  defineWorkflow,
  InvalidArgumentError,
  NonRetryableError,
  type StepOptions,
  type WorkflowContext,
} from '../../sdk/index.ts';
import { createTestEngine, replay, type TestEngine } from '../../sdk/testing/index.ts';

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const serve = (...workflows: readonly AnyWorkflow[]): TestEngine => {
  engine = createTestEngine({ workflows });
  return engine;
};
const warnings = (): string[] =>
  (engine?.log ?? [])
    .filter(({ level }) => level === 'warn')
    .map(({ message, fields }) => `${message} ${fields['step_id'] ?? ''}`.trim());
/** Long enough to put the run down, so that everything before it is replayed. */
const NAP = '1 hour';

describe('a child that is started and not awaited', () => {
  const child = defineWorkflow({ type: 'child' }, async (ctx, n: number) => ctx.step('note', () => n));

  it('exists when its parent completes at once, and goes on', async () => {
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      const handle = await ctx.start('kid', child, 7);
      return handle.runId;
    });
    const test = serve(parent, child);
    const run = await test.start(parent);
    const runId = await test.finish(run);
    expect(await test.finish(test.client.run(runId))).toBe(7);
    expect(await replay(await run.export(), parent)).toMatchObject({ ended: 'completed' });
  });

  it('exists when the start itself was not awaited either', async () => {
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      void ctx.start('kid', child, 8, { externalId: 'kid-8' });
    });
    const test = serve(parent, child);
    await test.run(parent);
    const { value: kid } = await test.client.list({ externalId: 'kid-8' }).next();
    expect(await test.finish(test.client.run((kid as ClientRun).runId))).toBe(8);
  });

  it('exists before the body of a step that was asked for after it', async () => {
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      const { runId } = await ctx.start('kid', child, 9);
      return ctx.step('look', async () => (await engine?.client.run(runId).get())?.workflowType);
    });
    expect(await serve(parent, child).run(parent)).toBe('child');
  });

  it('is there also if it was the winner of a race', async () => {
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      const handle = await ctx.race([(c) => c.start('kid', child, 3), (c) => c.sleep('nap', NAP)]);
      return handle?.result();
    });
    expect(await serve(parent, child).run(parent)).toBe(3);
  });

  it('fails its parent if it can never be started', async () => {
    const other = defineWorkflow({ type: 'other' }, async () => 1);
    const parent = defineWorkflow({ type: 'parent' }, async (ctx) => {
      await ctx.start('kid', child, 1, { externalId: 'taken' });
    });
    const test = serve(parent, child, other);
    await test.start(other, undefined, { externalId: 'taken' });
    await expect(test.run(parent)).rejects.toMatchObject({ code: 'EXTERNAL_ID_CONFLICT' });
  });
});

describe('a branch that loses a race', () => {
  const nap = defineWorkflow({ type: 'nap' }, async (ctx) => ctx.sleep('long', '1 day'));
  const race = defineWorkflow({ type: 'race' }, async (ctx) =>
    ctx.race({
      late: (c) => c.sleep('limit', '1 minute'),
      called: (c) => c.call('called', nap, undefined, { externalId: 'called' }),
      started: async (c) => (await c.start('started', nap, undefined, { externalId: 'started' })).result(),
    }),
  );

  it('has the child cancelled that it called; the one that it started goes on', async () => {
    const test = serve(race, nap);
    expect(await test.run(race)).toEqual({ winner: 'late', value: undefined });
    const status = async (externalId: string) =>
      ((await test.client.list({ externalId }).next()).value as ClientRun).status;
    expect(await status('called')).toBe('CANCELLED');
    expect(await status('started')).toBe('SLEEPING');
  });
});

describe('a failure that nobody awaits', () => {
  it('is told in the log with its step and run, and changes nothing else', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      void ctx.step('forgotten', () => Promise.reject(new Error('broken')), { retry: 'none' });
      await ctx.step('other', () => 1);
      await ctx.sleep('nap', NAP);
      return 'done';
    });
    const test = serve(flow);
    const run = await test.start(flow);
    expect(await test.finish(run)).toBe('done');
    expect(warnings()).toContain('ctx.step "forgotten" failed and nobody awaited it');
    expect(test.log.find(({ message }) => message.includes('nobody awaited'))?.fields).toMatchObject({
      run_id: run.runId,
      workflow_type: 'flow',
      error_code: 'Error',
      error: 'broken',
    });
  });

  it('that is awaited late is caught there', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const slow = ctx.step('slow', () => new Promise((resolve) => setTimeout(resolve, 20, 'slow')));
      const fast = ctx.step('fast', () => Promise.reject(new Error('fast')), { retry: 'none' });
      try {
        return [await slow, await fast];
      } catch (error) {
        await ctx.sleep('nap', NAP);
        return (error as Error).message;
      }
    });
    const test = serve(flow);
    expect(await test.run(flow)).toBe('fast');
    expect(warnings().filter((line) => line.includes('nobody'))).toEqual([]);
  });
});

describe('a step that the workflow ends without awaiting', () => {
  it('is not begun, and named in a warning', async () => {
    let bodies = 0;
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      await ctx.step('first', () => 1);
      void ctx.step('last', () => {
        bodies += 1;
      });
      return 'done';
    });
    const test = serve(flow);
    expect(await test.run(flow)).toBe('done');
    expect(bodies).toBe(0);
    expect(warnings()).toEqual(['a step was never begun, because the workflow ended without awaiting it last']);
  });

  it('is no reason to warn if it lost a race', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
      Promise.race([ctx.sleep('late', NAP).then(() => 'late'), ctx.step('quick', () => 'quick')]),
    );
    expect(await serve(flow).run(flow)).toBe('quick');
    expect(warnings()).toEqual([]);
  });
});

describe('a call that is wrong', () => {
  // The types forbid most of these; JavaScript does not.
  const bad = (ctx: unknown) => ctx as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const body = () => 1;
  const child = defineWorkflow({ type: 'child' }, async (_ctx, n: unknown) => n);
  type Call = (ctx: Record<string, (...given: unknown[]) => Promise<unknown>>) => Promise<unknown> | undefined;
  it.each<[string, Call, string]>([
    ['a timeout', (c) => c['step']?.('a', body, { timeout: 'soon' }), 'ctx.step "a": timeout: "soon" is no duration'],
    ['no attempts', (c) => c['step']?.('a', body, { retry: 0 }), 'retry: 0 is not a whole number from 1 to 10000'],
    [
      'half an attempt',
      (c) => c['step']?.('a', body, { retry: { attempts: 2.5 } }),
      'retry: attempts: 2.5 is not a whole',
    ],
    ['endless attempts', (c) => c['step']?.('a', body, { retry: Infinity }), 'retry: Infinity is not a whole number'],
    ['options', (c) => c['step']?.('a', body, null), 'ctx.step "a": null is no object'],
    ['an option', (c) => c['step']?.('a', body, { retires: 3 }), 'there is no option "retires". Did you mean `retry`?'],
    ['a policy', (c) => c['step']?.('a', body, { retry: { maxAttempts: 3 } }), 'Did you mean `attempts`?'],
    ['a retryIf', (c) => c['step']?.('a', body, { retryIf: ['Timeouts'] }), 'Did you mean `Timeout`?'],
    ['no body', (c) => c['step']?.('a'), 'ctx.step "a" needs a body: undefined is no function'],
    ['no id', (c) => c['step']?.(body), 'ctx.step: a function is no step id: give a text that is not empty'],
    ['a sleep without id', (c) => c['sleep']?.('1s'), 'needs an id and a duration'],
    ['a sleep of NaN', (c) => c['sleep']?.('a', Number.NaN), 'ctx.sleep "a": NaN is no duration'],
    ['a time', (c) => c['sleepUntil']?.('a', 'tomorrow'), 'ctx.sleepUntil "a": "tomorrow" is no time'],
    ['a child by name', (c) => c['call']?.('c', 'child'), 'ctx.call "c": "child" is no workflow'],
    ['an input', (c) => c['call']?.('c', child, { at: [body] }), 'input of child "c".at[0] cannot be stored'],
    [
      'an option of a child',
      (c) => c['start']?.('c', child, 1, { queue: 'q' }),
      'there is no option "queue". Did you mean',
    ],
    [
      'a mode',
      (c) => c['parallel']?.([], { mode: 'all' }),
      'ctx.parallel: mode: "all" is none of fail-fast, collect-all',
    ],
    ['a promise for a branch', (c) => c['parallel']?.([Promise.resolve()]), 'branch "0" is a promise'],
    ['nobody in a race', (c) => c['race']?.([]), 'ctx.race needs at least one branch'],
    ['a concurrency', (c) => c['map']?.([1], body, { concurrency: 0 }), 'concurrency: 0 is not a whole number from 1'],
    ['items', (c) => c['map']?.(3, body), 'ctx.map: 3 cannot be iterated over'],
  ])('%s is refused at once, and can be caught', async (_what, call, message) => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      try {
        await call(bad(ctx));
      } catch (error) {
        return { message: (error as Error).message, isTypeError: error instanceof TypeError };
      }
      return null;
    });
    const result = await serve(flow, child).run(flow);
    expect(result?.message).toContain(message);
    expect(result?.isTypeError).toBe(true);
  });

  it('that is not caught fails the run at its first attempt', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => bad(ctx)['step']?.('a', body, { timeout: 'soon' }));
    const test = serve(flow);
    const run = await test.start(flow);
    await expect(test.finish(run)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect((await run.get()).attempts).toBe(1);
  });
});

describe('the context', () => {
  it('can be taken apart', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async ({ step, sleep, parallel, uuid, run }) => {
      const [one] = await parallel([({ step: inner }) => inner('a', () => 1)]);
      await sleep('nap', NAP);
      return { one, two: await step('b', () => 2), id: uuid().length, type: run.workflowType };
    });
    expect(await serve(flow).run(flow)).toEqual({ one: 1, two: 2, id: 36, type: 'flow' });
  });

  it.each<[string, (ctx: WorkflowContext) => unknown]>([
    ['ctx.step "inner"', (ctx) => ctx.step('inner', () => 1)],
    ['ctx.sleep "nap"', (ctx) => ctx.sleep('nap', '1s')],
    ['ctx.uuid', (ctx) => ctx.uuid()],
  ])('refuses %s inside the body of a step, also after the body has waited', async (what, nested) => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
      ctx.step('outer', async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return nested(ctx);
      }),
    );
    const message = `${what} was called inside the body of step "outer"`;
    await expect(serve(flow).run(flow)).rejects.toMatchObject({ message: expect.stringContaining(message) as string });
  });

  it('may be logged to and read inside a body', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
      ctx.parallel({
        left: (c) =>
          c.step('a', ({ log }) => {
            ctx.log.info('from the context');
            log.info('from the step');
            return ctx.now() instanceof Date && ctx.run.runId.length;
          }),
      }),
    );
    const test = serve(flow);
    const run = await test.start(flow);
    expect(await test.finish(run)).toEqual({ left: 36 });
    const bound = { run_id: run.runId, workflow_type: 'flow' };
    expect(test.log).toEqual([
      { level: 'info', message: 'from the context', fields: bound },
      { level: 'info', message: 'from the step', fields: { ...bound, step_id: 'parallel()/left/a', attempt: 1 } },
    ]);
  });

  it('says so when it is used after its workflow has ended', async () => {
    const kept: WorkflowContext[] = [];
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => void kept.push(ctx));
    await serve(flow).run(flow);
    expect(() => kept[0]?.step('late', () => 1)).toThrow(InvalidArgumentError);
    expect(() => kept[0]?.step('late', () => 1)).toThrow('was called after the workflow function had ended');
  });
});

describe('an input that its schema changes', () => {
  let drawn = 0;
  const schema = z.object({
    name: z.string().trim(),
    token: z.number().default(() => ++drawn),
    tags: z.set(z.string()).optional(),
  });

  it('is parsed once, and the same whenever the code runs', async () => {
    const seen: unknown[] = [];
    const flow = defineWorkflow({ type: 'flow', input: schema }, async (ctx, input) => {
      seen.push(input);
      await ctx.sleep('nap', NAP);
      return input;
    });
    const test = serve(flow);
    const run = await test.start(flow, { name: ' Ada ', tags: new Set(['x']) });
    const first = drawn;
    expect(await test.finish(run)).toEqual({ name: 'Ada', token: first + 1, tags: new Set(['x']) });
    expect(drawn).toBe(first + 1);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
  });

  it('costs nothing when the schema leaves it as it is', async () => {
    const flow = defineWorkflow({ type: 'flow', input: schema }, async (ctx, { name }) => ctx.step('a', () => name));
    const test = serve(flow);
    const run = await test.start(flow, { token: 1, name: 'Ada' });
    await test.finish(run);
    expect((await run.export()).steps.map(({ step_id }) => step_id)).toEqual(['a']);
  });

  it('is refused if what the schema makes of it cannot be stored', async () => {
    class Money {
      constructor(readonly cents: number) {}
    }
    const odd = z.number().transform((cents) => new Money(cents));
    const flow = defineWorkflow({ type: 'flow', input: odd }, async (_ctx, money) => money.cents);
    await expect(serve(flow).start(flow, 5)).rejects.toThrow('it is an instance of Money');
  });
});

it('many bodies at once cause no warning about listeners', async () => {
  const seen: string[] = [];
  const note = (warning: Error): void => void seen.push(warning.name);
  process.on('warning', note);
  const flow = defineWorkflow({ type: 'flow' }, async (ctx) =>
    ctx.map(Array.from({ length: 60 }), (_item, c, index) => c.step('a', () => index), { concurrency: 20 }),
  );
  expect(await serve(flow).run(flow)).toHaveLength(60);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(seen).toEqual([]);
});

type Changeable = { -readonly [Option in keyof StepOptions]: StepOptions[Option] };

describe('options that are changed after they were given', () => {
  it('leave the step as it was asked for', async () => {
    const attempts = { first: 0, second: 0 };
    const workflow = defineWorkflow({ type: 'careless', retry: 'none' }, async (ctx) => {
      const options: Changeable = { retry: { kind: 'fixed', interval: '1s' }, retryIf: 'any' };
      const first = ctx.step(
        'first',
        () => {
          attempts.first += 1;
          if (attempts.first < 3) throw new Error('again');
          return attempts.first;
        },
        options,
      );
      options.retry = 'none';
      options.retryIf = 'never';
      const second = ctx.step('second', () => ++attempts.second, options);
      return Promise.all([first, second]);
    });
    expect(await serve(workflow).run(workflow)).toEqual([3, 1]);
  });

  it('are refused where they are wrong, and break no step that was asked for before', async () => {
    const workflow = defineWorkflow({ type: 'careless', retry: 'none' }, async (ctx) => {
      const options: Changeable = { timeout: '1s' };
      const first = ctx.step('first', async () => 'first', options);
      options.timeout = 'soon' as '1s';
      let refusal = '';
      try {
        await ctx.step('second', () => 'second', options);
      } catch (error) {
        refusal = (error as Error).message;
      }
      return [await first, refusal];
    });
    const [first, refusal] = await serve(workflow).run(workflow);
    expect(first).toBe('first');
    expect(refusal).toContain('soon');
  });
});

describe('a body that answers with something else that can be awaited', () => {
  const thenable = (then: (resolve: (value: unknown) => void) => void) => () => ({ then }) as PromiseLike<unknown>;

  it('has its error caught like any other', async () => {
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => {
      const body = thenable(() => {
        throw new NonRetryableError('no answer');
      });
      return ctx.step('ask', body).catch((error: unknown) => (error as Error).message);
    });
    expect(await serve(flow).run(flow)).toContain('no answer');
  });

  it('gives what is awaited of it in the end', async () => {
    const inner = thenable((resolve) => resolve('inner'))();
    const flow = defineWorkflow({ type: 'flow' }, (ctx) =>
      ctx.step(
        'ask',
        thenable((resolve) => resolve(inner)),
      ),
    );
    expect(await serve(flow).run(flow)).toBe('inner');
  });
});

describe('branches that wait for one step', () => {
  /** The order is part of what is recorded: in-flight runs would go another way if it changed. */
  it('go on in the order of plain promises', async () => {
    const inOrder = async (token: Promise<string>): Promise<string> => {
      const order: string[] = [];
      const note = (who: string) => (): number => order.push(who);
      const indirectly = async (): Promise<string> => token;
      await Promise.all([
        indirectly().then(note('returned')),
        token.then((value) => value).then(note('twice')),
        (async () => {
          await token;
          note('awaited')();
        })(),
        token.then(note('then')),
        Promise.all([token]).then(note('all')),
        Promise.race([token]).then(note('race')),
        Promise.resolve(token).then(note('resolve')),
      ]);
      return order.join();
    };
    const flow = defineWorkflow({ type: 'flow' }, async (ctx) => inOrder(ctx.step('token', () => 't')));
    const plain = await inOrder(new Promise((resolve) => setImmediate(() => resolve('t'))));
    expect(plain).toBe('awaited,then,resolve,twice,all,race,returned');
    expect(await serve(flow).run(flow)).toBe(plain);
  });
});
