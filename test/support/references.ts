/** Which objects an operation can name, in its path and beside it, and the same call with those of another workspace. */
import { ID_PREFIXES } from '../../src/core/vocabulary/nouns.ts';
import type { TestApp } from './test-app.ts';
import type { ApiOperation } from './api-document.ts';
import { type Home, type Inputs, type Maker, MAKERS, OBJECTS_OF, PLAIN_PARAMETERS } from './makers.ts';

const getPrefix = (example: unknown): string | undefined =>
  /^([a-z]+)_[0-7][0-9a-z]{25}$/.exec(String(example))?.[1];

function getMaker(operation: ApiOperation, prefix: string): Maker {
  const maker = MAKERS[prefix];
  if (!maker)
    throw new Error(
      `${operation.id}: no maker for ids with the prefix ${prefix}_; add one to MAKERS in test/support/makers.ts`,
    );
  return maker;
}

/** Makes the kind of object that a path parameter names. */
function parameterMaker(
  operation: ApiOperation,
  { name, example }: { name: string; example: unknown },
): Maker {
  const prefix = getPrefix(example);
  if (prefix === undefined) {
    const plain = PLAIN_PARAMETERS[operation.id];
    if (plain === undefined)
      throw new Error(
        `${operation.id}: the example of path parameter ${name} is no id; add the operation to PLAIN_PARAMETERS in test/support/makers.ts`,
      );
    return async () => plain;
  }
  return OBJECTS_OF[operation.id] ?? getMaker(operation, prefix);
}

/** Values for the path's parameters: real objects of the workspace. */
export async function makeObjects(
  app: TestApp,
  operation: ApiOperation,
  home: Home,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const parameter of operation.parameters)
    if (parameter.in === 'path')
      values[parameter.name] = await parameterMaker(operation, parameter)(app, home);
  return values;
}

const PREFIXES: readonly string[] = Object.values(ID_PREFIXES);

/** Whether a path parameter names an object of a workspace. */
export const namesAnObject = ({ example }: { example: unknown }): boolean =>
  PREFIXES.includes(getPrefix(example) ?? '');

type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };

/** The same value with each ID in it replaced. */
async function replaceIds(value: Plain, replace: (prefix: string) => Promise<string>): Promise<Plain> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => replaceIds(item, replace)));
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(async ([name, item]) => [
      name,
      await replaceIds(item, replace),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  }
  const prefix = getPrefix(value);
  return prefix !== undefined && PREFIXES.includes(prefix) ? replace(prefix) : value;
}

/** Where an operation can name objects beside its path: in filters, in its body. */
export function getReferences({ parameters, body }: ApiOperation): ('query' | 'body')[] {
  const inQuery = parameters.some((one) => one.in === 'query' && namesAnObject(one));
  const inBody = JSON.stringify(body?.example ?? null)
    .split('"')
    .some((text) => namesAnObject({ example: text }));
  return [...(inQuery ? (['query'] as const) : []), ...(inBody ? (['body'] as const) : [])];
}

/** The example's query and body with IDs of this workspace's objects in the place of all IDs. */
export async function withForeignIds(app: TestApp, operation: ApiOperation, home: Home): Promise<Inputs> {
  const replace = (prefix: string): Promise<string> => getMaker(operation, prefix)(app, home);
  const query: Record<string, string> = {};
  for (const parameter of operation.parameters)
    if (parameter.in === 'query' && namesAnObject(parameter))
      query[parameter.name] = await replace(getPrefix(parameter.example)!);
  return {
    query,
    body: operation.body ? await replaceIds(operation.body.example as Plain, replace) : undefined,
  };
}
