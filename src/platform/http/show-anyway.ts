/**
 * An answer that its schema doesn't fit, such as a row of an earlier version: shown with what the schema declares, each
 * value as it is. Slower than a compiled schema, and only for what that can't write.
 */

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
}

/** The schemas that a value may have. What one of several declares may be shown, whichever the value has. */
const branches = (schema: Schema): Schema[] => {
  const several = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return several === undefined ? [schema] : several.flatMap(branches);
};

/** Declares nothing, so that anything may be shown. */
const isOpen = ({ type, properties, items, const: value, enum: values }: Schema): boolean =>
  [type, properties, items, value, values].every((part) => part === undefined);

/**
 * Returns the part of a value that a JSON schema declares. Texts, numbers and the like are as they are, whatever type is
 * declared; null stands for objects and lists where the schema declares none.
 */
export function showAnyway(schema: object, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const all = branches(schema);
  if (all.some(isOpen)) return value;
  if (Array.isArray(value)) {
    const items = all.flatMap((branch) => branch.items ?? []);
    return items.length === 0 ? null : value.map((item) => showAnyway({ anyOf: items }, item));
  }
  const objects = all.filter(
    ({ type, properties }) => properties !== undefined || [type].flat().includes('object'),
  );
  if (objects.length === 0) return null;
  const further = objects.flatMap(({ additionalProperties }) =>
    additionalProperties === true ? [{}] : additionalProperties ? [additionalProperties] : [],
  );
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const named = objects.flatMap(({ properties }) =>
        properties && Object.hasOwn(properties, name) ? [properties[name]!] : [],
      );
      const declared = named.length > 0 ? named : further;
      return declared.length === 0 ? [] : [[name, showAnyway({ anyOf: declared }, each)]];
    }),
  );
}
