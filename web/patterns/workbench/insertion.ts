/** Inserts the path of a sample value into the template editor that has, or last had, the cursor. */

export type PathPart = string | number;

const PLAIN = /^[A-Za-z_][\w-]*$/;

/** Returns the Liquid path: `payload.items[0].name`, `headers["two words"]`. */
export const liquidPath = (parts: readonly PathPart[]): string =>
  parts.reduce<string>((path, part, at) => {
    if (typeof part === 'number') return `${path}[${part}]`;
    if (at === 0) return part;
    return PLAIN.test(part) ? `${path}.${part}` : `${path}[${JSON.stringify(part)}]`;
  }, '');

/** Returns whether a position is inside `{{ }}` or `{% %}`. */
export function isWithinTag(text: string, at: number): boolean {
  const before = text.slice(0, at);
  const opened = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'));
  return opened > Math.max(before.lastIndexOf('}}'), before.lastIndexOf('%}'));
}

/**
 * Returns the Liquid that prints a value, or loops over a list.
 * @param bare without braces, since the place takes an expression
 */
export function insertionText(
  parts: readonly PathPart[],
  { isList, bare }: { isList: boolean; bare: boolean },
): string {
  const path = liquidPath(parts);
  if (bare) return path;
  return isList ? `{% for item in ${path} %}{{ item }}\n{% endfor %}` : `{{ ${path} }}`;
}

type Insert = (parts: readonly PathPart[], isList: boolean) => void;

const editors = new WeakMap<Element, Insert>();

/** The attribute of a field that {@link insertInto} takes. */
export const TEMPLATE_ATTRIBUTE = 'data-template';

/** Registers the function that inserts text into a template editor. */
export const registerEditor = (field: Element, insert: Insert): void => void editors.set(field, insert);

/** Inserts a path at the cursor of an editor, and moves the focus there. */
export const insertInto = (field: Element, parts: readonly PathPart[], isList: boolean): void =>
  editors.get(field)?.(parts, isList);
