import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ApiResult } from '../functions/api/request-context.ts';

/** Beside this file in the package, where it lies built, and in the repository, where it is bundled when first asked for. */
const PLACE = new URL('../console/', import.meta.url);
const ROOT = '/console/';

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The page runs its own code and talks to its own server, and no other page can hold it in a frame. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

type Files = ReadonlyMap<string, string>;

/** What the page says of where it is. */
export interface ConsoleEngine {
  readonly name: string;
  readonly url: string;
}

/** The console as it is served: a handful of files, the same for everybody. */
export class ConsolePage {
  readonly #engine: () => ConsoleEngine;
  #files: Promise<Files> | null = null;

  constructor(engine: () => ConsoleEngine) {
    this.#engine = engine;
  }

  /** Null for what is no part of it. */
  async answer(method: string, path: string, accept: string): Promise<ApiResult | null> {
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (path === '/console' || (path === '/' && accept.includes('text/html'))) {
      return { statusCode: 302, headers: { location: ROOT } };
    }
    if (!path.startsWith(ROOT)) return null;
    const name = path.slice(ROOT.length) || 'index.html';
    if (name === 'engine.json') return page('application/json', JSON.stringify(this.#engine()));
    const type = TYPES[name];
    if (type === undefined) return null;
    this.#files ??= load();
    const text = (await this.#files).get(name);
    return text === undefined ? null : page(type, text);
  }
}

const page = (type: string, body: string): ApiResult => ({
  statusCode: 200,
  headers: { ...HEADERS, 'content-type': type },
  body,
});

async function load(): Promise<Files> {
  if (existsSync(new URL('app.js', PLACE))) {
    const read = async (name: string) => [name, await readFile(new URL(name, PLACE), 'utf8')] as const;
    return new Map(await Promise.all(Object.keys(TYPES).map(read)));
  }
  const bundler = new URL('build-page.ts', PLACE);
  if (!existsSync(bundler)) return new Map();
  const { buildPage } = (await import(bundler.href)) as { readonly buildPage: () => Promise<Files> };
  return buildPage();
}
