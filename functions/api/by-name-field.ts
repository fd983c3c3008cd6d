import * as z from 'zod';

/** Zod leaves a key `__proto__` out without a word; here it is refused like any other bad name. */
const refuseProto = (given: unknown, context: z.RefinementCtx): unknown => {
  if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__')) {
    context.addIssue({ code: 'custom', message: 'Invalid key: "__proto__"' });
  }
  return given;
};
export const byName = <Value extends z.ZodType>(name: z.ZodString, value: Value, max: number) =>
  z.preprocess(
    refuseProto,
    z.record(name, value).refine((given) => Object.keys(given).length <= max, { error: `at most ${max} names` }),
  );
