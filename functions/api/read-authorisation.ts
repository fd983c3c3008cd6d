import * as z from 'zod';
import { EnvironmentError } from '../read-environment.ts';
import type { Authorisation } from './request-context.ts';

const schema = z.discriminatedUnion('KAGZI_AUTH', [
  z.object({ KAGZI_AUTH: z.literal('iam') }),
  z.object({ KAGZI_AUTH: z.literal('jwt'), KAGZI_NAMESPACES_CLAIM: z.string().min(1) }),
]);

/** Nothing is assumed: a function that took tokens for signatures would let everybody into every namespace. */
export function readAuthorisation(env: Readonly<Record<string, string | undefined>>): Authorisation {
  const { success, data } = schema.safeParse(env);
  if (!success) {
    throw new EnvironmentError(
      'The environment is wrong:\n  - KAGZI_AUTH: is neither iam, nor jwt with a KAGZI_NAMESPACES_CLAIM',
    );
  }
  return data.KAGZI_AUTH === 'iam' ? { by: 'front' } : { by: 'claim', claim: data.KAGZI_NAMESPACES_CLAIM };
}
