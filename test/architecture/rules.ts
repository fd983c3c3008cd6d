/** Every rule is one row. Paths are prefixes, `*` stands for one folder name; a row's `files` win over a shorter prefix. */

export interface LayerRule {
  readonly files: string;
  readonly mayImport: readonly string[];
}

/** Which parts of the project a part may import; a file under no row is a violation. */
export const LAYERS: readonly LayerRule[] = [
  {
    files: 'shared/model/',
    mayImport: ['shared/model/', 'shared/ports/table.ts', 'shared/ports/port-error.ts'],
  },
  { files: 'shared/ports/', mayImport: ['shared/ports/'] },
  { files: 'shared/store/', mayImport: ['shared/store/', 'shared/ports/', 'shared/model/'] },
  { files: 'shared/usecases/', mayImport: ['shared/usecases/', 'shared/store/', 'shared/ports/', 'shared/model/'] },
  { files: 'shared/aws/', mayImport: ['shared/aws/', 'shared/ports/', 'shared/model/'] },
  // The time and the chance of the process itself.
  { files: 'shared/system/', mayImport: ['shared/ports/'] },
  {
    files: 'functions/',
    mayImport: ['functions/', 'shared/usecases/', 'shared/store/engine.ts', 'shared/ports/', 'shared/model/'],
  },
  {
    files: 'functions/*/handler.ts',
    mayImport: [
      'functions/',
      'shared/usecases/',
      'shared/store/engine.ts',
      'shared/ports/',
      'shared/model/',
      'shared/aws/',
    ],
  },
  {
    files: 'functions/compose-engine.ts',
    mayImport: [
      'functions/',
      'shared/store/engine.ts',
      'shared/store/metered-table.ts',
      'shared/ports/',
      'shared/aws/',
      'shared/system/',
    ],
  },
  { files: 'functions/api/handler.ts', mayImport: ['functions/', 'package.json'] },
  { files: 'functions/worker/handler.ts', mayImport: ['sdk/index.ts', 'examples/'] },
  {
    files: 'sdk/testing/',
    mayImport: [
      'sdk/',
      'local/',
      'shared/usecases/',
      'shared/store/engine.ts',
      'shared/ports/',
      'shared/model/',
      'shared/system/',
    ],
  },
  {
    files: 'sdk/',
    mayImport: [
      'sdk/',
      'shared/usecases/',
      'shared/store/engine.ts',
      'shared/ports/',
      'shared/model/',
      'shared/system/',
    ],
  },
  // Loaded with the first signed request; its types are everybody's.
  {
    files: 'sdk/client/aws-signer.ts',
    mayImport: ['shared/aws/sigv4-signer.ts', 'shared/aws/credential-source.ts', 'shared/ports/request-signer.ts'],
  },
  {
    files: 'sdk/worker/create-worker.ts',
    mayImport: ['sdk/', 'shared/store/engine.ts', 'functions/compose-engine.ts'],
  },
  { files: 'local/', mayImport: ['local/', 'functions/', 'sdk/', 'shared/', 'package.json'] },
  { files: 'cli/', mayImport: ['cli/', 'local/', 'sdk/', 'shared/model/', 'package.json'] },
  // Loaded when an environment is named and nothing says where it is.
  { files: 'cli/environment-url.ts', mayImport: ['cli/', 'shared/aws/describe-stack.ts', 'shared/model/'] },
  // What makes the page into files; the page itself knows the API by its schemas, of which nothing but types is taken.
  { files: 'console/', mayImport: ['console/'] },
  { files: 'console/page/', mayImport: ['console/page/', 'functions/api/'] },
  // To be copied: they know the package by its name and nothing else.
  { files: 'examples/', mayImport: [] },
  { files: 'infra/', mayImport: ['infra/', 'functions/', 'shared/ports/', 'shared/model/'] },
  { files: 'docs/', mayImport: ['docs/', 'local/'] },
  { files: 'bench/', mayImport: ['bench/', 'shared/', 'functions/', 'sdk/', 'local/', 'test/helpers/'] },
  // On the test bed of the stack.
  { files: 'bench/time/measure-stack.ts', mayImport: ['bench/', 'test/stack/e2e/', 'test/stack/lambda/'] },
  { files: 'test/', mayImport: [''] },
  { files: 'vitest.config.ts', mayImport: [] },
];

export interface PackageRule {
  readonly rule: string;
  readonly packages: RegExp;
  readonly onlyIn: readonly string[];
}

export const PACKAGES: readonly PackageRule[] = [
  {
    rule: 'the AWS SDK only in shared/aws',
    packages: /^@(aws-sdk|smithy)\//,
    onlyIn: ['shared/aws/', 'test/', 'bench/'],
  },
  { rule: 'the CDK only in infra', packages: /^(aws-cdk-lib|constructs)(\/|$)/, onlyIn: ['infra/', 'test/infra/'] },
  {
    rule: 'middy and powertools only in functions',
    packages: /^@(middy|aws-lambda-powertools)\//,
    onlyIn: ['functions/'],
  },
  {
    rule: 'SQLite only in local',
    packages: /^(@photostructure\/sqlite|node:sqlite)$/,
    onlyIn: ['local/', 'test/', 'bench/'],
  },
  { rule: 'Preact only in the page', packages: /^preact(\/|$)/, onlyIn: ['console/page/'] },
  { rule: 'prom-client only in local', packages: /^prom-client$/, onlyIn: ['local/', 'test/local/'] },
  {
    rule: 'shared does no I/O but through ports',
    packages:
      /^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|cluster|os|timers|process|perf_hooks)(\/|$)/,
    onlyIn: [
      'shared/aws/',
      'functions/',
      'sdk/',
      'local/',
      'cli/',
      'console/build-page.ts',
      'console/write-page.ts',
      'examples/',
      'infra/',
      'docs/',
      'bench/',
      'test/',
    ],
  },
];

export interface CodeRule {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly files: string;
  readonly except: readonly string[];
}

const ADAPTERS = ['shared/aws/', 'shared/system/'];
const inShared = (rule: string, pattern: RegExp): CodeRule => ({ rule, pattern, files: 'shared/', except: ADAPTERS });

/** Looked for in the code without its comments and quoted strings. */
export const CODE: readonly CodeRule[] = [
  inShared('no Date.now: use Clock', /\bDate\s*\.\s*now\b/),
  inShared('no new Date() of the present: use Clock', /\bnew\s+Date\b\s*(\(\s*\)|(?!\s*\())/),
  inShared('no Date() of the present: use Clock', /(?<!new\s+)(?<![.\w])Date\s*\(/),
  inShared('no performance.now: use Clock', /\bperformance\s*\.\s*now\b/),
  inShared('no hrtime: use Clock', /\bhrtime\b/),
  inShared('no Math.random: use Ids', /\bMath\s*\.\s*random\b/),
  inShared('no randomUUID: use Ids', /\brandomUUID\b/),
  inShared('no randomBytes: use Ids', /\b(randomBytes|randomInt|getRandomValues)\b/),
  inShared(
    'no timers: use Clock.sleep',
    /(?<![.\w])(setTimeout|setInterval|setImmediate)\b|\bglobalThis\s*\.\s*set[TI]/,
  ),
  inShared('no process.env: settings come as arguments', /\bprocess\s*\.\s*env\b/),
  inShared('no fetch: use a port', /(?<![.\w])fetch\s*\(/),
  inShared('no console: use Telemetry', /\bconsole\s*\./),
];

export const BANNED_NAMES: readonly string[] = ['utils', 'util', 'common', 'types', 'manager', 'misc', 'helpers'];
