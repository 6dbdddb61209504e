/** Generates a document that satisfies a JSON Schema, as far as the keywords in common use go. */
type Schema = Record<string, unknown>;

const MAX_DEPTH = 12;
const MAX_ITEMS = 20;
/** A schema that refers to itself would have no end. */
const MAX_VALUES = 2_000;

const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Follows a reference within the document. */
function resolve(ref: string, root: Schema): Schema {
  if (!ref.startsWith('#')) return {};
  let found: unknown = root;
  for (const part of ref.split('/').slice(1))
    found = isSchema(found) ? found[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isSchema(found) ? found : {};
}

function getType({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (properties !== undefined) return 'object';
  return items === undefined ? 'string' : 'array';
}

const FORMATS: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  email: 'echo@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

const toNumber = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/**
 * @param text goes into the first string that can be any
 * @returns a value whose objects have every declared property
 */
export function createJsonSample(root: unknown, text: string): unknown {
  let rest: string | null = text;
  let values = 0;

  const toText = ({ format, minLength, maxLength }: Schema): string => {
    if (typeof format === 'string' && FORMATS[format]) return FORMATS[format];
    const own = rest ?? '';
    rest = null;
    return own.slice(0, toNumber(maxLength, Infinity)).padEnd(Math.min(toNumber(minLength, 0), 10_000), '-');
  };

  const sample = (schema: unknown, depth: number): unknown => {
    if (!isSchema(schema) || depth > MAX_DEPTH || ++values > MAX_VALUES) return null;
    const { $ref: ref } = schema;
    if (typeof ref === 'string') return sample(resolve(ref, root as Schema), depth + 1);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0];
    for (const keyword of ['anyOf', 'oneOf'])
      if (Array.isArray(schema[keyword])) {
        const choices = schema[keyword] as unknown[];
        return sample(
          choices.find((one) => isSchema(one) && one['type'] !== 'null') ?? choices[0],
          depth + 1,
        );
      }
    if (Array.isArray(schema['allOf']))
      return Object.assign({}, ...schema['allOf'].map((one: unknown) => sample(one, depth + 1))) as object;
    switch (getType(schema)) {
      case 'object': {
        const { properties } = schema;
        return Object.fromEntries(
          Object.entries(isSchema(properties) ? properties : {}).map(([name, part]) => [
            name,
            sample(part, depth + 1),
          ]),
        );
      }
      case 'array': {
        const count = Math.min(Math.max(toNumber(schema['minItems'], 1), 0), MAX_ITEMS);
        const length = Math.min(count, toNumber(schema['maxItems'], MAX_ITEMS));
        return Array.from({ length }, () => sample(schema['items'] ?? {}, depth + 1));
      }
      case 'integer':
      case 'number': {
        const min = schema['minimum'] ?? schema['exclusiveMinimum'];
        if (typeof min === 'number')
          return schema['minimum'] === undefined ? Math.floor(min) + 1 : Math.ceil(min);
        return Math.min(0, Math.floor(toNumber(schema['maximum'], 0)));
      }
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return toText(schema);
    }
  };
  return sample(root, 0);
}
