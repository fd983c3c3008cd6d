import fc from 'fast-check';

type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const IS_TYPE: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isRecord,
  null: (value) => value === null,
};

const typesOf = ({ type }: JsonSchema): readonly JsonType[] =>
  type === undefined ? [] : ([type].flat() as readonly JsonType[]);

/** Where a value does not fit its schema; empty if it fits. */
export function misfits(schema: JsonSchema, value: unknown, place = '$'): string[] {
  if (schema.$ref !== undefined) return [`${place}: follow the reference first`];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && !choices.some((choice) => misfits(choice, value).length === 0))
    return [`${place}: no choice`];
  if ('const' in schema && value !== schema.const) return [`${place}: not ${String(schema.const)}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${place}: not one of ${String(schema.enum)}`];
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => IS_TYPE[type](value))) return [`${place}: not ${types.join(' or ')}`];
  if (typeof value === 'string' && schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    return [`${place}: not ${schema.pattern}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => misfits(schema.items ?? {}, item, `${place}[${index}]`));
  }
  return isRecord(value) && types.includes('object') ? objectMisfits(schema, value, place) : [];
}

function objectMisfits(schema: JsonSchema, value: Readonly<Record<string, unknown>>, place: string): string[] {
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const { additionalProperties: rest = {} } = schema;
  return [
    ...missing.map((name) => `${place}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const known = schema.properties?.[name];
      if (known !== undefined) return misfits(known, inner, `${place}.${name}`);
      if (rest === false) return [`${place}.${name}: not known`];
      return rest === true ? [] : misfits(rest, inner, `${place}.${name}`);
    }),
  ];
}

/** Likely values of fields, by their names. */
export type KnownFields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Values that fit a schema. */
export function fitting(schema: JsonSchema, known: KnownFields = {}, name = ''): fc.Arbitrary<unknown> {
  const likely = Object.hasOwn(known, name) ? known[name] : undefined;
  if (likely === undefined) return plain(schema, known);
  return fc.oneof({ weight: 9, arbitrary: likely }, { weight: 1, arbitrary: plain(schema, known) });
}

function plain(schema: JsonSchema, known: KnownFields): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fitting(choice, known)));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = typesOf(schema);
  return types.length === 0 ? fc.jsonValue() : fc.oneof(...types.map((type) => ofType(type, schema, known)));
}

function ofType(type: JsonType, schema: JsonSchema, known: KnownFields): fc.Arbitrary<unknown> {
  const { minimum: min, maximum: max } = schema;
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: min ?? -1e9, max: max ?? 1e9 });
    case 'number':
      return fc.double({ min: min ?? -1e9, max: max ?? 1e9, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fitting(schema.items ?? {}, known), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'object':
      return objectOf(schema, known);
  }
}

function textOf({ pattern, format, minLength = 0, maxLength = 50 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') {
    const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  const lengths = { minLength, maxLength: Math.min(maxLength, 50) };
  if (pattern === undefined) return fc.string({ ...lengths, unit: 'binary' });
  if (pattern.includes('\\p{')) return fc.string({ ...lengths, unit: 'grapheme' });
  return fc.stringMatching(new RegExp(pattern), { size: 'small' });
}

function objectOf(schema: JsonSchema, known: KnownFields): fc.Arbitrary<object> {
  const { properties, additionalProperties: rest } = schema;
  if (properties === undefined && typeof rest === 'object') {
    return fc.dictionary(textOf(schema.propertyNames ?? {}), fitting(rest, known), { maxKeys: 4 });
  }
  const fields = Object.entries(properties ?? {}).map(([name, inner]) => {
    const value = fitting(inner, known, name);
    const often = schema.required?.includes(name) === true ? value : seldom(value);
    return [name, often] as const;
  });
  return fc.record(Object.fromEntries(fields)).map(given);
}

/** Else hardly any of a large object would be right. */
const seldom = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
