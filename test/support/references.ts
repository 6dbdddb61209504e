/** Which objects an operation can name, in its path and beside it, and the same call with those of another workspace. */
import { ID_PREFIXES } from '../../src/http/ids.ts';
import type { TestApp } from '../../src/testing/test-app.ts';
import type { ApiOperation } from './api-document.ts';
import { type Home, type Inputs, makerOf, prefixOf } from './makers.ts';

const PREFIXES: readonly string[] = Object.values(ID_PREFIXES);

/** Whether a path parameter names an object of a workspace. */
export const namesAnObject = ({ example }: { example: unknown }): boolean =>
  PREFIXES.includes(prefixOf(example) ?? '');

type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };

/** The same value with each id in it replaced. */
async function replaceIds(value: Plain, replace: (prefix: string) => Promise<string>): Promise<Plain> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => replaceIds(item, replace)));
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(async ([name, item]) => [
      name,
      await replaceIds(item, replace),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  }
  const prefix = prefixOf(value);
  return prefix !== undefined && PREFIXES.includes(prefix) ? replace(prefix) : value;
}

/** Where an operation can name objects beside its path: in filters, in its body. */
export function referencesOf({ parameters, body }: ApiOperation): ('query' | 'body')[] {
  const inQuery = parameters.some((one) => one.in === 'query' && namesAnObject(one));
  const inBody = JSON.stringify(body?.example ?? null)
    .split('"')
    .some((text) => namesAnObject({ example: text }));
  return [...(inQuery ? (['query'] as const) : []), ...(inBody ? (['body'] as const) : [])];
}

/** The example's query and body with ids of this workspace's objects in the place of all ids. */
export async function withForeignIds(app: TestApp, operation: ApiOperation, home: Home): Promise<Inputs> {
  const replace = (prefix: string): Promise<string> => makerOf(operation, prefix)(app, home);
  const query: Record<string, string> = {};
  for (const parameter of operation.parameters)
    if (parameter.in === 'query' && namesAnObject(parameter))
      query[parameter.name] = await replace(prefixOf(parameter.example)!);
  return {
    query,
    body: operation.body ? await replaceIds(operation.body.example as Plain, replace) : undefined,
  };
}
