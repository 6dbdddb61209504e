/**
 * A driver's JSON Schemas as fields of a form. A field is known by its JSON pointer into the body of the API call
 * (`/settings/imap/host`), which the server's field errors use, too.
 */

export interface Field {
  /** Into the body. */
  pointer: string;
  name: string;
  label: string;
  description: string | null;
  /** `group` has `fields`; `json` is for values that fit no other kind, entered as JSON. */
  kind: 'text' | 'secret' | 'integer' | 'number' | 'boolean' | 'choice' | 'group' | 'json';
  required: boolean;
  nullable: boolean;
  choices: string[];
  /** The server's default. */
  fallback: string | boolean | null;
  placeholder: string;
  min?: number;
  max?: number;
  maxLength?: number;
  fields: Field[];
}

export type FieldValue = string | boolean;
/** By pointer. An absent value is empty. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  title?: string;
  description?: string;
  format?: string;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** Words that are written in capital letters. */
const CAPITALS = new Set([
  'api',
  'id',
  'imap',
  'smtp',
  'url',
  'jid',
  'tls',
  'qr',
  'xmpp',
  'http',
  'starttls',
  'json',
]);

/** `smtp_password` → "SMTP password". */
export function getLabel(name: string): string {
  const words = name
    .split('_')
    .map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Turns `anyOf` with null into the other schema, marked as nullable. */
function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const { anyOf, ...about } = schema;
  const others = anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (anyOf && others.length === 1) return { schema: { ...others[0], ...about }, nullable: anyOf.length > 1 };
  const types = [schema.type].flat();
  return { schema, nullable: types.includes('null') };
}

function getKind(schema: Schema): Field['kind'] {
  if (schema.enum?.every((one) => one === null || typeof one === 'string')) return 'choice';
  const [type, ...others] = [schema.type].flat().filter((one) => one !== 'null');
  if (others.length > 0) return 'json';
  if (type === 'string') return schema.format === 'password' ? 'secret' : 'text';
  if (type === 'integer' || type === 'number' || type === 'boolean') return type;
  return type === 'object' && schema.properties ? 'group' : 'json';
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function getField(name: string, given: Schema, parent: string, required: boolean): Field {
  const { schema, nullable } = withoutNull(given);
  const kind = getKind(schema);
  const pointer = `${parent}/${escaped(name)}`;
  const fallback = schema.default ?? null;
  const example = schema.examples?.find((one) => typeof one === 'string' || typeof one === 'number');
  return {
    pointer,
    name,
    label: schema.title ?? getLabel(name),
    description: schema.description ?? null,
    kind,
    required,
    nullable,
    choices: (schema.enum ?? []).filter((one) => typeof one === 'string'),
    fallback: fallback === null || typeof fallback === 'boolean' ? fallback : asText(fallback),
    placeholder: kind === 'secret' ? '' : String(example ?? ''),
    ...(schema.minimum !== undefined && { min: schema.minimum }),
    ...(schema.maximum !== undefined && { max: schema.maximum }),
    ...(schema.maxLength !== undefined && { maxLength: schema.maxLength }),
    fields: kind === 'group' ? getFields(schema, pointer) : [],
  };
}

/** @param schema of an object. @param pointer to it in the body: `/settings` */
export function getFields(schema: unknown, pointer: string): Field[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  return Object.entries(properties).map(([name, one]) =>
    getField(name, one, pointer, required.includes(name)),
  );
}

/** Returns all fields that hold a value, including those in groups. */
export const getLeaves = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => (field.kind === 'group' ? getLeaves(field.fields) : [field]));

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the defaults of a new form. A required choice without a default starts with its first option. */
export const emptyValues = (fields: readonly Field[]): FieldValues =>
  Object.fromEntries(
    getLeaves(fields).flatMap(({ pointer, kind, fallback, required, choices }) => {
      const value =
        fallback ?? (kind === 'choice' && required ? choices[0] : kind === 'boolean' ? false : null);
      return value === null || value === undefined ? [] : [[pointer, value]];
    }),
  );

/** Returns stored settings as values of the form. */
export function getValues(fields: readonly Field[], stored: unknown): FieldValues {
  const record = (stored ?? {}) as Record<string, unknown>;
  const entries = fields.flatMap((field): [string, FieldValue][] => {
    const value = record[field.name];
    if (field.kind === 'group') return Object.entries(getValues(field.fields, value));
    if (value === undefined || value === null) return [];
    return [[field.pointer, typeof value === 'boolean' ? value : asText(value)]];
  });
  return { ...emptyValues(fields), ...Object.fromEntries(entries) };
}

function parsed(field: Field, value: FieldValue): unknown {
  if (typeof value === 'boolean') return value;
  if (field.kind === 'integer' || field.kind === 'number') return Number(value);
  if (field.kind === 'json') {
    try {
      return JSON.parse(value);
    } catch {
      return value; // the server reports the error
    }
  }
  return field.kind === 'secret' ? value : value.trim();
}

/** Whether a value is empty or the default. */
const isLeftOut = (field: Field, value: FieldValue | undefined): boolean =>
  value === undefined || value === '' || (!field.required && value === field.fallback);

/**
 * Returns the object for the request body, without empty values and defaults.
 * @param mask replaces each secret
 */
export function getObject(
  fields: readonly Field[],
  values: FieldValues,
  mask?: string,
): Record<string, unknown> {
  const entries = fields.flatMap((field): [string, unknown][] => {
    if (field.kind === 'group') {
      const inner = getObject(field.fields, values, mask);
      return field.required || Object.keys(inner).length > 0 ? [[field.name, inner]] : [];
    }
    const value = values[field.pointer];
    if (value === undefined || isLeftOut(field, value)) return [];
    return [[field.name, field.kind === 'secret' && mask !== undefined ? mask : parsed(field, value)]];
  });
  return Object.fromEntries(entries);
}
