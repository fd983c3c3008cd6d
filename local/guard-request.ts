import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from '../functions/api/call.ts';
import { KagziError } from '../shared/model/errors.ts';
import { isLoopback } from './settings-rules.ts';
import type { Settings } from './settings-schema.ts';

type GuardSettings = Pick<Settings, 'serverHost' | 'apiToken' | 'adminToken' | 'allowedOrigins'>;

/** Throws for a caller that may not: a page of another origin, a rebound host name, a wrong token. */
export function guardRequest(settings: GuardSettings, headers: IncomingHttpHeaders, access: Access): void {
  requireHost(settings, headers.host ?? '');
  requireOrigin(settings, headers);
  requireToken(settings, headers.authorization ?? '', access);
}

const hostName = (host: string): string =>
  host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();

/** A server on loopback answers to loopback names only: a web page could point its own name at this machine. */
function requireHost({ serverHost }: GuardSettings, host: string): void {
  if (!isLoopback(serverHost) || isLoopback(hostName(host))) return;
  throw new KagziError('FORBIDDEN', 'This server answers to localhost, 127.0.0.1 and ::1 only.');
}

export const isAllowedOrigin = ({ allowedOrigins }: GuardSettings, { origin, host }: IncomingHttpHeaders): boolean =>
  origin === undefined || origin === `http://${host}` || allowedOrigins.includes(origin);

function requireOrigin(settings: GuardSettings, headers: IncomingHttpHeaders): void {
  if (isAllowedOrigin(settings, headers)) return;
  throw new KagziError('FORBIDDEN', 'Pages of this origin may not call; allow it with KAGZI_ALLOWED_ORIGINS.');
}

function requireToken({ apiToken, adminToken }: GuardSettings, authorization: string, access: Access): void {
  const wanted = access === 'admin' ? (adminToken ?? apiToken) : access === 'user' ? apiToken : undefined;
  if (wanted === undefined) return;
  const [, given] = /^Bearer (.+)$/i.exec(authorization) ?? [];
  if (given !== undefined && isSame(given, wanted)) return;
  throw new KagziError('UNAUTHENTICATED', 'A valid token is required: `authorization: Bearer …`.');
}

const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
