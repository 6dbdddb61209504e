/** Puts a value of the sample into a template, where its writer's cursor is. */

export type PathPart = string | number;

const PLAIN = /^[A-Za-z_][\w-]*$/;

/** As Liquid reads it: `payload.items[0].name`, `headers["x-github-event"]`. */
export const liquidPath = (parts: readonly PathPart[]): string =>
  parts.reduce<string>((path, part, at) => {
    if (typeof part === 'number') return `${path}[${part}]`;
    if (at === 0) return part;
    return PLAIN.test(part) ? `${path}.${part}` : `${path}[${JSON.stringify(part)}]`;
  }, '');

/** Whether a place in a text stands within `{{ }}` or `{% %}`. */
function isWithin(text: string, at: number): boolean {
  const before = text.slice(0, at);
  const opened = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'));
  return opened > Math.max(before.lastIndexOf('}}'), before.lastIndexOf('%}'));
}

/** What stands for a value; of a list a loop over it. */
function textFor(path: string, isList: boolean, bare: boolean): string {
  if (bare) return path;
  return isList ? `{% for item in ${path} %}{{ item }}\n{% endfor %}` : `{{ ${path} }}`;
}

/** @param field its `data-bare` says that it takes expressions without braces */
export function insertInto(
  field: HTMLTextAreaElement,
  parts: readonly PathPart[],
  { isList = false } = {},
): void {
  const { selectionStart: from, selectionEnd: to, value } = field;
  const bare = field.dataset['bare'] !== undefined || isWithin(value, from);
  field.focus();
  field.setRangeText(textFor(liquidPath(parts), isList, bare), from, to, 'end');
  // React hears of it as of anything that is typed.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
