/** An example value for a schema, put together from the examples of its parts. */
interface AnySchema {
  type?: string | string[];
  examples?: unknown[];
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: AnySchema[];
  allOf?: AnySchema[];
  items?: AnySchema;
  properties?: Record<string, AnySchema>;
}

export function getExample(schema: unknown): unknown {
  const given = schema as AnySchema;
  if (given.examples?.length) return given.examples[0];
  if (given.const !== undefined) return given.const;
  if (given.properties)
    return Object.fromEntries(
      Object.entries(given.properties).map(([name, part]) => [name, getExample(part)]),
    );
  if (given.default !== undefined) return given.default;
  if (given.enum) return given.enum[0];
  if (given.anyOf) return getExample(given.anyOf[0]);
  if (given.items) return [getExample(given.items)];
  switch ([given.type].flat()[0]) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'object':
      return {};
    default:
      return null;
  }
}
