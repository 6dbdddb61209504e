/** The values of a payload that templates print and that a sample doesn't have. */

const PRINTED = /\{\{-?\s*payload((?:\.[\w-]+)+)\s*(\|[^}]*)?\}\}/g;
/** Computed by Liquid; no fields. */
const COMPUTED = new Set(['size', 'first', 'last']);

const getField = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/**
 * Returns the paths, such as `payload.title`, that are printed as nothing. Templates with tags are left out: what is empty
 * may stand in a branch that isn't taken.
 */
export function emptyValues(templates: readonly string[], payload: unknown): string[] {
  const paths = templates
    .filter((template) => !template.includes('{%'))
    .flatMap((template) => [...template.matchAll(PRINTED)])
    .filter(([, , filters = '']) => !/\|\s*default\b/.test(filters))
    .map(([, path = '']) => path.slice(1).split('.'))
    .filter((keys) => !COMPUTED.has(keys.at(-1) ?? ''))
    .filter((keys) => [undefined, null, ''].includes(keys.reduce<unknown>(getField, payload) as undefined))
    .map((keys) => ['payload', ...keys].join('.'));
  return [...new Set(paths)];
}
