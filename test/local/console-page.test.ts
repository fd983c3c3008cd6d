import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../../console/build-page.ts';
import { type ChildServer, startChildServer } from '../helpers/child-server.ts';
import { temporaryDirectory } from '../helpers/embedded-store.ts';

let server: ChildServer;
beforeAll(async () => {
  server = await startChildServer({ KAGZI_DATA_DIR: temporaryDirectory(), KAGZI_API_TOKEN: 'token-0123456789' });
});
afterAll(() => server.stop('SIGKILL'));

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers, redirect: 'manual' });

describe('the page at /console/', () => {
  it.each([
    ['/console/', 'text/html; charset=utf-8', '<div id="app">'],
    ['/console/app.js', 'text/javascript; charset=utf-8', 'workflow-types'],
    ['/console/app.css', 'text/css; charset=utf-8', 'color-scheme'],
    ['/console/icon.svg', 'image/svg+xml', '<svg'],
    ['/console/engine.json', 'application/json', '"name":"local"'],
  ])('%s is served to everybody who reaches the server, without a token', async (path, type, part) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(await answer.text()).toContain(part);
  });

  it('may run its own code only, talk to its own server only, and stand in nobody’s frame', async () => {
    const { headers } = await get('/console/');
    const rules = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...values] = rule.split(' ');
        return [name, values.join(' ')] as const;
      }),
    );
    expect(Object.fromEntries(rules)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('has no script and no style inside', async () => {
    const page = await (await get('/console/')).text();
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  });

  it('is where a browser is sent that asks for the server itself; others are told what there is', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/']);
    expect((await get('/console')).headers.get('location')).toBe('/console/');
    expect((await get('/', { authorization: 'Bearer token-0123456789' })).status).toBe(404);
  });

  it.each(['/console/x', '/console/../package.json', '/console/%2e%2e/package.json', '/console/page/main.tsx'])(
    'has no %s',
    async (path) => {
      const answer = await get(path, { authorization: 'Bearer token-0123456789' });
      expect(answer.status).toBe(404);
    },
  );

  it('is not served to a page of another origin or under another name, and calls want the token', async () => {
    expect((await get('/console/', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await get('/v1/default/runs')).status).toBe(401);
    const posted = await fetch(`${server.url}/console/`, { method: 'POST' });
    expect(posted.status).toBe(401);
  });
});

it('is small: less than 150 KB gzipped in all', async () => {
  const sizes = [...(await buildPage())].map(([name, text]) => [name, gzipSync(text).length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(
    `the console, gzipped: ${sizes.map(([name, size]) => `${name} ${size}`).join(', ')}; ${total} bytes in all`,
  );
  expect(total).toBeGreaterThan(5_000);
  expect(total).toBeLessThan(150 * 1024);
});
