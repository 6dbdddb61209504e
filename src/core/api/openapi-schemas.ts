/** Converts schemas to OpenAPI. A schema whose title is a type name is written once, under components. */
type Json = Record<string, unknown>;

export type Hoist = (schema: unknown) => unknown;

/** Parts of a schema that hold values, not schemas. */
const VALUES = new Set(['examples', 'default', 'enum', 'const', 'required']);

/** Parts that may differ where a named schema is used, so that they stand beside the reference. */
const ANNOTATIONS = ['description', 'examples', 'default'] as const;

const isTypeName = (title: unknown): title is string => typeof title === 'string' && /^[A-Z]\w+$/.test(title);

function splitAnnotations(schema: Json): { annotations: Json; rest: Json } {
  const { description, examples, default: preset, ...rest } = schema;
  return { annotations: { description, examples, default: preset }, rest };
}

/** Whether a schema only describes: it accepts anything. */
const acceptsAnything = (schema: unknown): boolean =>
  Object.keys(schema as Json).every((name) => name === 'description' || name === 'examples');

/**
 * Returns the alternatives that a caller would send. One that accepts anything is for validation, where each item of a
 * batch gets an error of its own; as a type it would make the others meaningless.
 */
function documentAlternatives(schema: Json): Json {
  const { anyOf, ...rest } = schema as { anyOf?: Json[] };
  const meant = anyOf?.filter((one) => !acceptsAnything(one));
  if (!anyOf || meant!.length === anyOf.length) return schema;
  return meant!.length === 1 ? { ...meant![0], ...rest } : { ...rest, anyOf: meant };
}

/**
 * Moves the defaults of optional properties into their descriptions. openapi-typescript makes a property of a component
 * required if it has a default, so that callers would have to send each of them.
 */
function describeDefaults(schema: Json): Json {
  const { properties, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  if (!properties) return schema;
  const described = Object.entries(properties).map(([name, property]) => {
    const { default: preset, description, ...rest } = property;
    if (preset === undefined || required.includes(name)) return [name, property];
    const text = typeof description === 'string' ? description : '';
    const note = /\bdefault/i.test(text) ? '' : `Default: \`${JSON.stringify(preset)}\`.`;
    return [name, { ...rest, description: [text, note].filter(Boolean).join(' ') }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

/**
 * `hoist` puts references in the place of named schemas, and collects those in `schemas`.
 * @throws Error if two schemas with the same name differ in more than their annotations
 */
export function createHoist(): { hoist: Hoist; schemas: Json } {
  const schemas: Record<string, Json> = {};
  const hoist: Hoist = (schema) => {
    if (Array.isArray(schema)) return schema.map(hoist);
    if (schema === null || typeof schema !== 'object') return schema;
    const documented = documentAlternatives(schema as Json);
    if (documented !== schema) return hoist(documented);
    const { title } = schema as { title?: unknown };
    // It helps validation; in the document it would name branches by their components, and each says its type itself.
    const { discriminator, ...rest } = schema as { discriminator?: unknown };
    const kept = 'oneOf' in rest ? rest : { ...rest, ...(discriminator ? { discriminator } : {}) };
    const copy = Object.fromEntries(
      Object.entries(kept).map(([name, part]) => [name, VALUES.has(name) ? part : hoist(part)]),
    );
    if (!isTypeName(title)) return copy;
    const named = describeDefaults(copy);
    schemas[title] ??= named;
    const [first, here] = [splitAnnotations(schemas[title]), splitAnnotations(named)];
    if (JSON.stringify(first.rest) !== JSON.stringify(here.rest))
      throw new Error(
        `Two schemas have the title ${title}: ${JSON.stringify(first.rest)} and ${JSON.stringify(here.rest)}`,
      );
    const own = ANNOTATIONS.filter(
      (name) =>
        here.annotations[name] !== undefined &&
        JSON.stringify(here.annotations[name]) !== JSON.stringify(first.annotations[name]),
    );
    return {
      $ref: `#/components/schemas/${title}`,
      ...Object.fromEntries(own.map((name) => [name, here.annotations[name]])),
    };
  };
  return { hoist, schemas };
}
