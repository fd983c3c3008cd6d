import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkArchitecture, describeViolation } from './architecture/check-architecture.ts';
import { readSources } from './architecture/read-sources.ts';
import { CODE, LAYERS, PACKAGES } from './architecture/rules.ts';

const imports = (...specifiers: string[]): string =>
  specifiers.map((specifier, index) => `import { x${index} } from '${specifier}';`).join('\n');

/** The planted files, plus empty ones for what they import, so that only the planted rule can fire. */
const rulesBroken = (planted: Record<string, string>, existing: readonly string[] = []): string[] => {
  const sources = new Map([...existing.map((file) => [file, ''] as const), ...Object.entries(planted)]);
  return checkArchitecture(sources).map((violation) => `${violation.file}: ${violation.rule}`);
};

describe('the project', () => {
  it('keeps its import directions, and only ports touch the world', () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const sources = readSources(root);
    expect(sources.size).toBeGreaterThan(10);
    expect(checkArchitecture(sources).map(describeViolation)).toEqual([]);
  });
});

describe('import directions', () => {
  const layer = (files: string): string => {
    const row = LAYERS.find((candidate) => candidate.files === files);
    return `${files} may import ${row?.mayImport.join(', ') || 'nothing of the project'}`;
  };

  const forbidden: readonly (readonly [file: string, target: string, row: string])[] = [
    ['shared/model/run.ts', 'shared/store/runs.ts', 'shared/model/'],
    ['shared/model/run.ts', 'shared/ports/queue.ts', 'shared/model/'],
    ['shared/ports/queue.ts', 'shared/model/run.ts', 'shared/ports/'],
    ['shared/store/runs.ts', 'shared/usecases/start-run.ts', 'shared/store/'],
    ['shared/store/runs.ts', 'shared/aws/dynamo-table.ts', 'shared/store/'],
    ['shared/usecases/start-run.ts', 'shared/aws/dynamo-table.ts', 'shared/usecases/'],
    ['shared/usecases/start-run.ts', 'functions/api/routes.ts', 'shared/usecases/'],
    ['shared/aws/dynamo-table.ts', 'shared/store/runs.ts', 'shared/aws/'],
    ['shared/aws/dynamo-table.ts', 'local/sqlite-table.ts', 'shared/aws/'],
    ['shared/system/system-clock.ts', 'shared/model/run.ts', 'shared/system/'],
    ['functions/api/routes.ts', 'shared/aws/dynamo-table.ts', 'functions/'],
    ['functions/api/routes.ts', 'shared/store/runs.ts', 'functions/'],
    ['functions/wake/handler.ts', 'shared/store/runs.ts', 'functions/*/handler.ts'],
    ['functions/wake/handler.ts', 'local/sqlite-table.ts', 'functions/*/handler.ts'],
    ['functions/compose-engine.ts', 'shared/store/runs.ts', 'functions/compose-engine.ts'],
    ['functions/api/handler.ts', 'shared/aws/dynamo-table.ts', 'functions/api/handler.ts'],
    ['functions/worker/handler.ts', 'shared/aws/dynamo-table.ts', 'functions/worker/handler.ts'],
    ['sdk/worker/create-worker.ts', 'functions/api/routes.ts', 'sdk/worker/create-worker.ts'],
    ['sdk/client.ts', 'shared/store/runs.ts', 'sdk/'],
    ['sdk/testing/index.ts', 'functions/api/routes.ts', 'sdk/testing/'],
    ['sdk/client.ts', 'functions/api/routes.ts', 'sdk/'],
    ['sdk/client/http-api.ts', 'shared/aws/sigv4-signer.ts', 'sdk/'],
    ['sdk/client/aws-signer.ts', 'shared/aws/dynamo-table.ts', 'sdk/client/aws-signer.ts'],
    ['local/main.ts', 'infra/app.ts', 'local/'],
    ['local/main.ts', 'test/helpers/clock.ts', 'local/'],
    ['cli/commands/get.ts', 'shared/store/runs.ts', 'cli/'],
    ['cli/environment-url.ts', 'shared/aws/dynamo-table.ts', 'cli/environment-url.ts'],
    ['console/build-page.ts', 'local/server.ts', 'console/'],
    ['console/page/api.ts', 'shared/model/run.ts', 'console/page/'],
    ['examples/order.ts', 'sdk/index.ts', 'examples/'],
    ['infra/app.ts', 'shared/usecases/start-run.ts', 'infra/'],
    ['docs/write-settings.ts', 'shared/model/run.ts', 'docs/'],
    ['bench/cost.ts', 'infra/app.ts', 'bench/'],
    ['bench/time/measure-stack.ts', 'test/simulation/bundle.ts', 'bench/time/measure-stack.ts'],
    ['vitest.config.ts', 'shared/model/run.ts', 'vitest.config.ts'],
  ];
  it.each(forbidden)('refuses %s → %s', (file, target, row) => {
    const up = '../'.repeat(file.split('/').length - 1) || './';
    expect(rulesBroken({ [file]: imports(`${up}${target}`) }, [target])).toEqual([`${file}: ${layer(row)}`]);
  });

  it('has a planted violation for every row but that of the tests, which may import anything', () => {
    const rows = LAYERS.map((row) => row.files).filter((files) => files !== 'test/');
    expect(new Set(forbidden.map(([, , row]) => row))).toEqual(new Set(rows));
  });

  it.each([
    ['shared/model/run.ts', 'shared/ports/table.ts'],
    ['shared/model/run.ts', 'shared/ports/port-error.ts'],
    ['shared/usecases/start-run.ts', 'shared/store/runs.ts'],
    ['functions/wake/handler.ts', 'shared/aws/dynamo-table.ts'],
    ['functions/compose-engine.ts', 'shared/aws/dynamo-table.ts'],
    ['functions/api/start.ts', 'shared/usecases/start-run.ts'],
    ['local/main.ts', 'shared/store/runs.ts'],
    ['local/main.ts', 'functions/api/routes.ts'],
    ['infra/run-table.ts', 'shared/ports/table.ts'],
    ['test/usecases/start-run.test.ts', 'local/sqlite-table.ts'],
  ])('allows %s → %s', (file, target) => {
    const up = '../'.repeat(file.split('/').length - 1);
    expect(rulesBroken({ [file]: imports(`${up}${target}`) }, [target])).toEqual([]);
  });

  it('asks for a row for every new folder', () => {
    expect(rulesBroken({ 'plugins/context.ts': '' })).toEqual([
      'plugins/context.ts: every file is under a row of LAYERS',
    ]);
  });

  it('refuses an import that names no file, or leaves out the extension', () => {
    expect(rulesBroken({ 'local/main.ts': imports('./server') }, ['local/server.ts'])).toEqual([
      'local/main.ts: an import names an existing file, with its extension',
    ]);
  });

  it('refuses a name that says nothing', () => {
    expect(rulesBroken({ 'local/utils.ts': '' })).toEqual(['local/utils.ts: a file is named for its main export']);
  });

  it.each([
    ['a type import', (to: string) => `import type { X } from '${to}';`],
    ['a re-export', (to: string) => `export * from '${to}';`],
    ['an import over several lines', (to: string) => `import {\n  a,\n  b,\n} from "${to}";`],
    ['an import for its effect', (to: string) => `import '${to}';`],
    ['a dynamic import', (to: string) => `const x = await import('${to}');`],
  ])('sees %s', (_what, source) => {
    expect(rulesBroken({ 'shared/model/run.ts': source('../aws/x.ts') }, ['shared/aws/x.ts'])).toHaveLength(1);
  });

  it('does not see an import in a comment', () => {
    expect(
      rulesBroken({ 'shared/model/run.ts': `// ${imports('../aws/x.ts')}\n/* ${imports('../aws/y.ts')} */` }),
    ).toEqual([]);
  });
});

describe('packages', () => {
  const planted: readonly (readonly [file: string, name: string, rule: string])[] = [
    ['shared/store/runs.ts', '@aws-sdk/client-dynamodb', 'the AWS SDK only in shared/aws'],
    ['functions/api/handler.ts', '@smithy/core', 'the AWS SDK only in shared/aws'],
    ['functions/api/handler.ts', 'aws-cdk-lib/aws-lambda', 'the CDK only in infra'],
    ['local/main.ts', 'constructs', 'the CDK only in infra'],
    ['local/main.ts', '@middy/core', 'middy and powertools only in functions'],
    ['sdk/index.ts', '@aws-lambda-powertools/logger', 'middy and powertools only in functions'],
    ['functions/api/handler.ts', '@photostructure/sqlite', 'SQLite only in local'],
    ['functions/api/handler.ts', 'prom-client', 'prom-client only in local'],
    ['local/main.ts', 'preact/hooks', 'Preact only in the page'],
    ['shared/store/runs.ts', 'node:fs/promises', 'shared does no I/O but through ports'],
    ['shared/usecases/start-run.ts', 'node:http', 'shared does no I/O but through ports'],
    ['shared/model/run.ts', 'net', 'shared does no I/O but through ports'],
  ];
  it.each(planted)('%s may not import %s', (file, name, rule) => {
    expect(rulesBroken({ [file]: imports(name) })).toEqual([`${file}: ${rule}`]);
  });

  it('has a planted violation for every row', () => {
    expect(new Set(planted.map(([, , rule]) => rule))).toEqual(new Set(PACKAGES.map((row) => row.rule)));
  });

  it.each([
    ['shared/aws/dynamo-table.ts', '@aws-sdk/client-dynamodb'],
    ['shared/aws/dynamo-table.ts', 'node:https'],
    ['infra/app.ts', 'aws-cdk-lib'],
    ['functions/api/handler.ts', '@middy/core'],
    ['shared/model/ids.ts', 'node:crypto'],
  ])('%s may import %s', (file, name) => {
    expect(rulesBroken({ [file]: imports(name) })).toEqual([]);
  });
});

describe('the world in shared', () => {
  const planted: readonly (readonly [code: string, rule: string])[] = [
    ['Date.now()', 'no Date.now: use Clock'],
    ['new Date()', 'no new Date() of the present: use Clock'],
    ['[new Date, 1]', 'no new Date() of the present: use Clock'],
    ['Date()', 'no Date() of the present: use Clock'],
    ['performance.now()', 'no performance.now: use Clock'],
    ['process.hrtime.bigint()', 'no hrtime: use Clock'],
    ['Math.random()', 'no Math.random: use Ids'],
    ['crypto.randomUUID()', 'no randomUUID: use Ids'],
    ['randomBytes(16)', 'no randomBytes: use Ids'],
    ['setTimeout(f, 1)', 'no timers: use Clock.sleep'],
    ['globalThis.setInterval(f, 1)', 'no timers: use Clock.sleep'],
    ['process.env.HOME', 'no process.env: settings come as arguments'],
    ['fetch(url)', 'no fetch: use a port'],
    ['console.log(1)', 'no console: use Telemetry'],
    ['`${' + 'Date.now()}`', 'no Date.now: use Clock'],
  ];
  it.each(planted)('refuses %s', (code, rule) => {
    const source = `export const x = ${code};`;
    expect(rulesBroken({ 'shared/usecases/x.ts': source })).toEqual([`shared/usecases/x.ts: ${rule}`]);
    expect(rulesBroken({ 'shared/aws/x.ts': source, 'local/x.ts': source })).toEqual([]);
  });

  it('has a planted violation for every row', () => {
    expect(new Set(planted.map(([, rule]) => rule))).toEqual(new Set(CODE.map((row) => row.rule)));
  });

  it.each(['new Date(now)', '// Date.now()', "'Date.now()'", 'clock.now()', 'x.fetch(1)', 'ids.random()', 'toDate(1)'])(
    'allows %s',
    (code) => {
      expect(rulesBroken({ 'shared/usecases/x.ts': `export const x =\n  ${code}\n1;` })).toEqual([]);
    },
  );
});

describe('cycles', () => {
  it('names the files of a cycle in order', () => {
    const sources = new Map([
      ['local/a.ts', imports('./b.ts')],
      ['local/b.ts', imports('./c.ts')],
      ['local/c.ts', imports('./a.ts')],
    ]);
    expect(checkArchitecture(sources).map(describeViolation)).toEqual([
      'local/a.ts: no import cycles (found: local/a.ts → local/b.ts → local/c.ts → local/a.ts)',
    ]);
  });

  it('sees a file that imports itself', () => {
    expect(rulesBroken({ 'local/a.ts': imports('./a.ts') })).toEqual(['local/a.ts: no import cycles']);
  });

  it('does not mistake a diamond for a cycle', () => {
    const diamond = {
      'local/a.ts': imports('./b.ts', './c.ts'),
      'local/b.ts': imports('./d.ts'),
      'local/c.ts': imports('./d.ts'),
    };
    expect(rulesBroken(diamond, ['local/d.ts'])).toEqual([]);
  });
});
