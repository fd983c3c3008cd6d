import { z } from 'zod';

const texts = z.union([z.string(), z.array(z.string())]).transform((given) => (Array.isArray(given) ? given : [given]));
const statement = z.looseObject({
  Effect: z.enum(['Allow', 'Deny']),
  Action: texts.optional(),
  Resource: texts.optional(),
});
const document = z.looseObject({ Version: z.string().optional(), Statement: z.array(statement) });

export type PolicyDocument = z.output<typeof document>;

export const readPolicy = (given: unknown): PolicyDocument => document.parse(given);
