/** Finds the variables of a template that a sample leaves empty. */
import { PATH, type Scope, valueAt } from './liquid-completion.ts';

const OUTPUT = new RegExp(String.raw`\{\{-?\s*(${PATH})\s*(\|(?:(?!\}\}).)*?)?-?\}\}`, 'gs');
const TAG = /\{%.*?%\}/gs;

/**
 * Returns the paths that a template prints and that are empty in the sample, each once. A template that tests a path,
 * or gives it a default, expects it to be empty at times.
 */
export function emptyVariables(template: string, scope: Scope): string[] {
  const tags = (template.match(TAG) ?? []).join(' ');
  const printed = [...template.matchAll(OUTPUT)]
    .filter(([, , filters = '']) => !/\|\s*default\b/.test(filters))
    .map(([, path = '']) => path);
  return [...new Set(printed)].filter((path) => {
    const [root = ''] = /^\w+/.exec(path) ?? [];
    // Other variables are defined by the template itself.
    if (!Object.hasOwn(scope, root) || tags.includes(path)) return false;
    return [undefined, null, ''].includes(valueAt(scope, path) as undefined);
  });
}
