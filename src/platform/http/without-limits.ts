/**
 * Schemas of what is shown. A limit on input says nothing about what is stored: rows come from channels and from earlier
 * versions, and an object that violates a limit must still be shown.
 */
const LIMITS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minimum',
  'maximum',
]);
/** Their values are not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples', 'required']);
/** Their keys are names of properties, not keywords. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Whether a schema is one of several that a value may have: what each requires tells them apart. */
const isChoice = (schemas: unknown): boolean =>
  Array.isArray(schemas) && schemas.filter(({ type }: { type?: unknown }) => type !== 'null').length > 1;

interface Where {
  /** Whether the keys are names of properties, not keywords. */
  keysAreNames?: boolean;
  inChoice?: boolean;
}

/** Copies a JSON schema without some keywords, at any depth. */
function without<T>(
  schema: T,
  keywords: ReadonlySet<string>,
  { keysAreNames = false, inChoice = false }: Where = {},
): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((item) => without(item, keywords, { inChoice })) as T;
  const properties = Object.getOwnPropertyDescriptors(schema) as Record<string, PropertyDescriptor>;
  for (const [key, property] of Object.entries(properties)) {
    if (!property.enumerable) continue;
    const value: unknown = property.value;
    if (keysAreNames) property.value = without(value, keywords);
    else if (keywords.has(key) && !(inChoice && key === 'required')) delete properties[key];
    else if (!VALUES.has(key))
      property.value = without(value, keywords, {
        keysAreNames: BY_NAME.has(key),
        inChoice: (key === 'anyOf' || key === 'oneOf') && isChoice(value),
      });
  }
  return Object.create(Object.getPrototypeOf(schema) as object, properties) as T;
}

const DEMANDS: ReadonlySet<string> = new Set([...LIMITS, 'required']);

/**
 * Returns a copy of a JSON schema that accepts values of any length, size and range, and objects that lack a property: an
 * answer that an earlier version stored, to be replayed, has no properties of this one.
 */
export const withoutDemands = <T>(schema: T): T => without(schema, DEMANDS);

/** Returns copies of the schemas of properties, by name, that accept values of any length, size and range. */
export const propertiesWithoutLimits = <T extends Record<string, unknown>>(properties: T): T =>
  without(properties, LIMITS, { keysAreNames: true });
