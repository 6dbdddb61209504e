/** Schemas as OpenAPI: one whose title is a type's name stands once, under components. */
type Json = Record<string, unknown>;

export type Hoist = (schema: unknown) => unknown;

/** Parts of a schema that hold values, not schemas. */
const VALUES = new Set(['examples', 'default', 'enum', 'const', 'required']);

/** `hoist` puts references in the place of named schemas, and collects those in `schemas`. */
export function createHoist(): { hoist: Hoist; schemas: Json } {
  const schemas: Json = {};
  const hoist: Hoist = (schema) => {
    if (Array.isArray(schema)) return schema.map(hoist);
    if (schema === null || typeof schema !== 'object') return schema;
    const { title } = schema as { title?: unknown };
    // It helps validation; in the document it would name branches by their components, and each says its type itself.
    const { discriminator, ...rest } = schema as { discriminator?: unknown };
    const kept = 'oneOf' in rest ? rest : { ...rest, ...(discriminator ? { discriminator } : {}) };
    const copy = Object.fromEntries(
      Object.entries(kept).map(([name, part]) => [name, VALUES.has(name) ? part : hoist(part)]),
    );
    if (typeof title !== 'string' || !/^[A-Z]\w+$/.test(title)) return copy;
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  return { hoist, schemas };
}
