import { KagziError } from '../../shared/model/errors.ts';
import type { Call } from './call.ts';
import type { ApiEvent, Authorisation } from './request-context.ts';

/** All namespaces, and what concerns none or all of them. */
const EVERYTHING = '*';

/** Throws FORBIDDEN for a call that the token's claim does not allow. A token without the claim allows nothing. */
export function authorise(authorisation: Authorisation, call: Call, event: ApiEvent): void {
  if (authorisation.by === 'front' || call.access === 'open') return;
  const allowed = namespacesOf(event, authorisation.claim);
  if (allowed.has(EVERYTHING)) return;
  const namespace = event.pathParameters?.['namespace'];
  if (namespace !== undefined && allowed.has(namespace)) return;
  throw new KagziError(
    'FORBIDDEN',
    `The token does not allow this: its claim ${authorisation.claim} must name ${namespace === undefined ? EVERYTHING : 'the namespace'}.`,
  );
}

/** API Gateway hands claims over as text: a list of a and b as `[a b]`. */
function namespacesOf(event: ApiEvent, claim: string): ReadonlySet<string> {
  const { authorizer } = event.requestContext as { authorizer?: { jwt?: { claims?: Record<string, unknown> } } };
  const value = authorizer?.jwt?.claims?.[claim];
  if (typeof value !== 'string') return new Set();
  return new Set(value.replace(/^\[(.*)\]$/, '$1').split(/[\s,]+/));
}
