/**
 * TypeBox parts that every noun's schemas are made of. One schema validates, serializes, types and documents.
 */
import Type, { type Static, type TSchema } from 'typebox';

/** `schema` or null. Absent values are null, never left out. */
export function Nullable<T extends TSchema>(schema: T, options: object = {}) {
  const { type, enum: values } = schema as unknown as { type?: string; enum?: unknown[] };
  const nullable =
    typeof type === 'string' && type !== 'object'
      ? { ...schema, type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}), ...options }
      : { anyOf: [schema, { type: 'null' }], ...options };
  return Type.Unsafe<Static<T> | null>(nullable);
}

/** A string that is one of `values`. */
export function Enum<const T extends string>(values: readonly T[], options: object = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

/** A code or a kind, such as `api_key`, as the name of a type. */
export const toPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-15T09:30:00.000Z'] });

/** At most 50 pairs of strings that the caller keeps with an object. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  title: 'Metadata',
  type: 'object',
  propertyNames: { maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
  maxProperties: 50,
  description: 'Up to 50 of your own key-value pairs. Keys can have up to 40 characters, values up to 500.',
  examples: [{ team: 'growth' }],
});

export const timeFields = {
  created_at: Timestamp('When it was created.'),
  updated_at: Timestamp('When it was last edited.'),
};

/** An object type that takes no other field. */
export const Strict = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** The keyword that marks a query parameter as a comma list. */
export const COMMA_LIST = 'x-comma-list';

/** A query parameter with several values: separated by commas, or the parameter repeated. It arrives as one string. */
export const CommaList = (description: string, options: object = {}) =>
  Type.String({
    minLength: 1,
    ...options,
    description: `${description} Separate values with commas, or repeat the parameter.`,
    [COMMA_LIST]: true,
  });

/** Query parameters of a list, with those of the noun. */
export const ListQuery = <P extends Record<string, TSchema>>(filters: P) =>
  Strict({
    limit: Type.Optional(
      Type.Integer({
        title: 'Limit',
        minimum: 1,
        maximum: 100,
        default: 25,
        description: 'Maximum number of items to return.',
        examples: [25],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        title: 'Cursor',
        maxLength: 200,
        description: 'The `next_cursor` of the previous page.',
        examples: ['eyJpIjoiMDE5NC4uLiJ9'],
      }),
    ),
    ...filters,
  });

export const createdFilters = {
  created_after: Type.Optional({
    ...Timestamp('Only objects created after this time.'),
    title: 'CreatedAfter',
  }),
  created_before: Type.Optional({
    ...Timestamp('Only objects created before this time.'),
    title: 'CreatedBefore',
  }),
};

/** The query parameter `search` of a list. @param fields what is searched, as `name or email` */
export const searchFilter = (fields: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `Only those whose ${fields} contains this text, ignoring case.`,
      examples: [example],
    }),
  );

/** The envelope of every list. */
export const toListSchema = <T extends TSchema>(item: T) =>
  Type.Object({
    object: Type.Literal('list', { description: 'Always `list`.', examples: ['list'] }),
    data: Type.Array(item, {
      description: 'The items of the page, newest first unless documented otherwise.',
    }),
    has_more: Type.Boolean({ description: 'Whether there are more items.', examples: [false] }),
    next_cursor: Nullable(Type.String(), {
      description: 'Pass it as `cursor` to get the next page.',
      examples: [null],
    }),
  });
