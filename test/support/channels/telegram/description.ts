/** Telegram's own description of the Bot API (`telegram-bot-api.json`): checks requests against it. */
import { readVendorApi } from '../channel-tools.ts';

interface Field {
  name: string;
  types: string[];
  required: boolean;
}
export interface Description {
  version: string;
  methods: Record<string, { fields?: Field[] }>;
  types: Record<string, { fields?: Field[]; subtypes?: string[] }>;
}

export const readDescription = (): Description =>
  JSON.parse(readVendorApi('telegram-bot-api.json')) as Description;

/** Stands for a file of a form. */
export const FILE = Symbol('file');

const PRIMITIVES: Record<string, (value: unknown) => boolean> = {
  Integer: (value) => Number.isSafeInteger(value),
  Float: (value) => typeof value === 'number',
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  True: (value) => value === true,
  InputFile: (value) => value === FILE,
};

function isType({ types }: Description, type: string, value: unknown): string | null {
  const description = { types } as Description;
  const item = /^Array of (.+)$/.exec(type)?.[1];
  if (item !== undefined) {
    if (!Array.isArray(value)) return 'is no array';
    return value.map((one) => isType(description, item, one)).find((fault) => fault !== null) ?? null;
  }
  const primitive = PRIMITIVES[type];
  if (primitive) return primitive(value) ? null : `is no ${type}`;
  const known = types[type];
  if (!known) return `has the unknown type ${type}`;
  if (known.subtypes) {
    const faults = known.subtypes.map((one) => isType(description, one, value));
    return faults.includes(null) ? null : `is no ${type}: ${faults[0]}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `is no ${type}`;
  return checkFields(description, known.fields ?? [], value as Record<string, unknown>);
}

function checkFields(
  description: Description,
  fields: readonly Field[],
  given: Record<string, unknown>,
): string | null {
  for (const { name, types, required } of fields) {
    const value = given[name];
    if (value === undefined) {
      if (required) return `${name} is required`;
      continue;
    }
    const faults = types.map((type) => isType(description, type, value));
    if (!faults.includes(null)) return `${name} ${faults[0]}`;
  }
  const unknown = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  return unknown === undefined ? null : `${unknown} is not described`;
}

/** Returns why Telegram would not understand a request; null if it would. */
export function checkRequest(
  description: Description,
  method: string,
  params: Record<string, unknown>,
): string | null {
  const described = description.methods[method];
  return described
    ? checkFields(description, described.fields ?? [], params)
    : `there is no method ${method}`;
}

/** Converts text fields of a form, in which all values are text, to what the description says they are. */
export function readFormField(
  description: Description,
  method: string,
  name: string,
  value: string,
): unknown {
  const field = description.methods[method]?.fields?.find((one) => one.name === name);
  if (field?.types.includes('Integer') && /^-?\d+$/.test(value)) return Number(value);
  if (field ? field.types.includes('String') : !/^[[{\d-]|^(true|false)$/.test(value)) return value;
  return JSON.parse(value) as unknown;
}
