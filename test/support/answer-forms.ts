/** What the conventions ask of any answer, whatever it is: all members in place, times and names of one form. */
import type { ApiDocument, Json } from './api-document.ts';

/** Whether an object is one of a branch: it has no member that is another constant, or unknown, there. */
function isFor(document: ApiDocument, branch: Json, value: Json): boolean {
  const members: Record<string, Json> = document.getVariants(branch)[0].properties;
  const isKnown = (name: string) => Object.keys(members).length === 0 || Object.hasOwn(members, name);
  return (
    Object.entries(members).every(
      ([name, { const: constant }]) => constant === undefined || value[name] === constant,
    ) &&
    (typeof value !== 'object' || Array.isArray(value) || Object.keys(value).every(isKnown))
  );
}

/** Members that the schema documents and the value lacks: null is never left out. */
export function missingMembers(document: ApiDocument, given: Json, value: Json, at = ''): string[] {
  const schema = document.resolve(given);
  const branches = (schema.anyOf ?? []).filter((branch: Json) => document.resolve(branch).type !== 'null');
  const inBranches =
    value === null
      ? []
      : branches
          .filter((branch: Json) => branches.length === 1 || isFor(document, branch, value))
          .flatMap((branch: Json) => missingMembers(document, branch, value, at));
  if (Array.isArray(value))
    return value.slice(0, 3).flatMap((item) => missingMembers(document, schema.items ?? {}, item, `${at}/-`));
  if (value === null || typeof value !== 'object') return inBranches;
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, part]) =>
    Object.hasOwn(value, name)
      ? missingMembers(document, part, value[name], `${at}/${name}`)
      : [`${at}/${name}`],
  );
  const extended = (schema.allOf ?? []).flatMap((part: Json) => missingMembers(document, part, value, at));
  return [...inBranches, ...extended, ...own];
}

/** Names under these are the caller's own, or those of a schema. */
const FREE_NAMES = /^(metadata|schema|data|headers|templates|prices)$/;

/** Times that are not RFC 3339 in UTC with milliseconds, and names that are not snake_case. */
export function oddForms(value: Json, at = ''): string[] {
  if (value === null || typeof value !== 'object') return [];
  const isFree = FREE_NAMES.test(at.split('/').at(-1)!);
  return Object.entries<Json>(value).flatMap(([name, item]) => {
    const here = `${at}/${name}`;
    if (/^(\w+_)?schema$/.test(name)) return [];
    const isTime = name.endsWith('_at') && typeof item === 'string';
    const oddTime = isTime && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(item);
    const oddName = !Array.isArray(value) && !isFree && !/^[a-z][a-z0-9_]*$/.test(name);
    return [...(oddTime ? [`${here}: ${item}`] : []), ...(oddName ? [here] : []), ...oddForms(item, here)];
  });
}
