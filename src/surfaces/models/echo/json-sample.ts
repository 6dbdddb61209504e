/**
 * Generates a document that satisfies a JSON Schema with commonly used keywords.
 *
 * The work and the document are bounded for any schema: it may refer to itself, and a part that is declared once can be
 * reached thousands of times.
 */
type Schema = Record<string, unknown>;

const MAX_DEPTH = 12;
const MAX_ITEMS = 20;
/** Maximum values visited in total, because a schema that refers to itself has no end. Null replaces the others. */
const MAX_VALUES = 2_000;
/** Characters of names, values and padding that the schema determines, in total. */
const MAX_COPIED = 256 * 1024;
/** Alternatives that are looked at in one place. */
const MAX_CHOICES = 100;
const MAX_REFERENCE = 1_000;

const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Follows a reference within the document. */
function resolve(ref: string, root: Schema): Schema {
  if (!ref.startsWith('#') || ref.length > MAX_REFERENCE) return {};
  let found: unknown = root;
  for (const part of ref.split('/').slice(1))
    found = isSchema(found) ? found[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isSchema(found) ? found : {};
}

/** Returns the first item that fits, or the first one. */
const choose = (items: unknown[], fits: (item: unknown) => boolean): unknown =>
  items.slice(0, MAX_CHOICES).find(fits) ?? items[0];

function getType({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return choose(type, (one) => one !== 'null') ?? 'null';
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
 * @param text used for the first unconstrained string
 * @returns a value whose objects have every declared property
 */
export function createJsonSample(root: unknown, text: string): unknown {
  let rest: string | null = text;
  let values = 0;
  let copied = 0;
  const sizes = new Map<object, number>();
  const names = new Map<object, string[]>();

  const remember = <T>(known: Map<object, T>, key: object, compute: () => T): T => {
    if (!known.has(key)) known.set(key, compute());
    return known.get(key)!;
  };
  const mayCopy = (size: number): boolean => {
    if (copied + size > MAX_COPIED) return false;
    copied += size;
    return true;
  };

  const copy = (value: unknown): unknown => {
    const size =
      value !== null && typeof value === 'object'
        ? remember(sizes, value, () => JSON.stringify(value).length)
        : String(value).length;
    return mayCopy(size) ? value : null;
  };

  const toText = ({ format, minLength, maxLength }: Schema): string => {
    if (typeof format === 'string' && FORMATS[format]) return FORMATS[format];
    const own = (rest ?? '').slice(0, toNumber(maxLength, Infinity));
    rest = null;
    const length = Math.min(toNumber(minLength, 0), 10_000);
    return length > own.length && mayCopy(length) ? own.padEnd(length, '-') : own;
  };

  const toObject = (properties: Schema, depth: number): object => {
    const entries: [string, unknown][] = [];
    for (const name of remember(names, properties, () => Object.keys(properties))) {
      if (values >= MAX_VALUES || !mayCopy(name.length)) break;
      entries.push([name, sample(properties[name], depth)]);
    }
    return Object.fromEntries(entries);
  };

  /** Merges objects. Of other values, the first one counts. */
  const merge = (schemas: unknown[], depth: number): unknown => {
    const parts: unknown[] = [];
    for (const one of schemas) {
      if (values >= MAX_VALUES) break;
      parts.push(sample(one, depth));
    }
    const objects = parts.filter(isSchema);
    if (objects.length === 0) return parts.find((part) => part !== null) ?? null;
    return Object.assign({}, ...objects) as object;
  };

  const sample = (schema: unknown, depth: number): unknown => {
    if (++values > MAX_VALUES || depth > MAX_DEPTH || !isSchema(schema)) return null;
    const { $ref: ref } = schema;
    if (typeof ref === 'string') return sample(resolve(ref, root as Schema), depth + 1);
    if ('const' in schema) return copy(schema['const']);
    if (Array.isArray(schema['enum'])) return copy(schema['enum'][0]);
    for (const keyword of ['anyOf', 'oneOf'])
      if (Array.isArray(schema[keyword])) {
        const isValue = (one: unknown): boolean => isSchema(one) && one['type'] !== 'null';
        return sample(choose(schema[keyword], isValue), depth + 1);
      }
    if (Array.isArray(schema['allOf'])) return merge(schema['allOf'], depth + 1);
    switch (getType(schema)) {
      case 'object': {
        const { properties } = schema;
        return isSchema(properties) ? toObject(properties, depth + 1) : {};
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
