/**
 * Finds names in a condition that look like variables but don't exist: such a condition is valid, and never matches.
 */
import { isObject } from '../../api/exact-json.ts';
import type { Fault } from '../../api/problem.ts';
import { t } from '../../copy/text.ts';
import type { Scope } from './liquid-completion.ts';
import { liquidTokens } from './liquid-tokens.ts';

const MAX_DEPTH = 6;

/** Returns the shortest path in the sample that ends with a name; null if there is none. */
function findPath(scope: Scope, name: string): string | null {
  let level: [path: string, value: unknown][] = Object.entries(scope);
  for (let depth = 1; depth < MAX_DEPTH; depth++) {
    level = level.flatMap(([path, value]) =>
      isObject(value) && !Array.isArray(value)
        ? Object.entries(value).map(([key, inner]): [string, unknown] => [`${path}.${key}`, inner])
        : [],
    );
    const found = level.find(([path]) => path.endsWith(`.${name}`));
    if (found) return found[0];
  }
  return null;
}

/**
 * Returns an error for each unknown variable of a condition.
 * @param scope all variables that there are, with the sample's values
 */
export function unknownVariables(pointer: string, condition: string, scope: Scope): Fault[] {
  const names = liquidTokens(condition, true)
    .filter(({ kind, from, to }) => {
      // The rest of a path, or the name of a filter's argument.
      const isPart = condition[from - 1] === '.' || condition[to] === ':';
      return kind === 'path' && !isPart;
    })
    .map(({ from, to }) => /^[\w-]+/.exec(condition.slice(from, to))![0]);
  return [...new Set(names)]
    .filter((name) => !Object.hasOwn(scope, name))
    .map((name) => {
      const path = findPath(scope, name);
      const detail =
        path === null
          ? t('`{name}` is not a variable.', { name })
          : t('`{name}` is not a variable. Did you mean `{path}`?', { name, path });
      return { pointer, code: 'unknown_variable', detail };
    });
}
