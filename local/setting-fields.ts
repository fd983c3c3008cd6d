import { z } from 'zod';
import { type SettingKey, settingsSchema, variableOf } from './settings-schema.ts';

const propertySchema = z.object({
  type: z.enum(['string', 'integer', 'array']),
  description: z.string(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  enum: z.array(z.string()).optional(),
});

export type SettingField = z.infer<typeof propertySchema> & { readonly key: SettingKey; readonly variable: string };

/** The settings as rows, read off the schema, so that the documentation and the parser cannot disagree. */
export const SETTING_FIELDS: readonly SettingField[] = Object.entries(
  z.toJSONSchema(settingsSchema, { io: 'input' }).properties ?? {},
).map(([key, property]) => ({ ...propertySchema.parse(property), key: key as SettingKey, variable: variableOf(key) }));

/** What the value may be, in words. */
export const accepts = (field: SettingField): string => {
  if (field.enum) return `one of ${field.enum.join(', ')}`;
  if (field.type === 'integer') return `integer from ${field.minimum} to ${field.maximum}`;
  if (field.type === 'array') return 'list of origins';
  return (field.minLength ?? 0) > 1 ? `text of at least ${field.minLength} characters` : 'text';
};
