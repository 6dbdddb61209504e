/** Completes Liquid: tags, filters, and the paths of the sample's values. */
import { isObject } from '../../api/exact-json.ts';
import { isWithinTag, liquidPath } from './insertion.ts';
import { FILTERS, LITERALS, OPERATORS, TAGS } from './liquid-words.ts';

/** Variables of a template, by name. */
export type Scope = Readonly<Record<string, unknown>>;

export interface Option {
  label: string;
  type: 'keyword' | 'function' | 'variable' | 'property' | 'constant';
  /** A cut of the sample's value. */
  detail?: string;
  /** Replaces the dot before the label too: `["two words"]`. */
  bracket?: string;
}

export interface Completion {
  /** Where the completed word begins. */
  from: number;
  options: Option[];
}

export const PATH = String.raw`[A-Za-z_]\w*(?:\.[\w-]+|\[\d+\]|\["[^"\]]*"\])*`;
const AFTER_DOT = new RegExp(String.raw`(${PATH})\.([\w-]*)$`);
const LOOP = new RegExp(String.raw`\{%-?\s*for\s+(\w+)\s+in\s+(${PATH})`, 'g');
const ASSIGN = new RegExp(String.raw`\{%-?\s*assign\s+(\w+)\s*=\s*(${PATH})`, 'g');
const MAX_DETAIL = 32;
const MAX_OPTIONS = 200;

/** Returns the value of a path; undefined if the sample has none. */
export function valueAt(scope: Scope, path: string): unknown {
  const steps = path.match(/"[^"]*"|[\w-]+/g) ?? [];
  return steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll('"', '');
    if (key === 'size' && (Array.isArray(value) || typeof value === 'string')) return value.length;
    if (Array.isArray(value) && key === 'first') return value[0];
    if (Array.isArray(value) && key === 'last') return value.at(-1);
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, scope);
}

function getDetail(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  if (isObject(value)) return '{…}';
  const json = JSON.stringify(value) ?? '';
  return json.length > MAX_DETAIL ? `${json.slice(0, MAX_DETAIL).toWellFormed()}…` : json;
}

/** Adds the variables that loops and assignments before the cursor define. */
function withLocals(before: string, scope: Scope): Scope {
  const all: Record<string, unknown> = { ...scope };
  for (const [, name = '', path = ''] of before.matchAll(ASSIGN)) all[name] = valueAt(all, path);
  for (const [, name = '', path = ''] of before.matchAll(LOOP)) {
    const list = valueAt(all, path);
    all[name] = Array.isArray(list) ? list[0] : undefined;
    all['forloop'] = { first: true, index: 1, index0: 0, last: false, length: 1 };
  }
  return all;
}

function getProperties(value: unknown): Option[] {
  if (Array.isArray(value)) return ['first', 'last', 'size'].map((label) => ({ label, type: 'property' }));
  if (!isObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_OPTIONS)
    .map(([label, one]) => {
      const path = liquidPath(['', label]);
      return {
        label,
        type: 'property',
        detail: getDetail(one),
        ...(path.startsWith('[') && { bracket: path }),
      };
    });
}

const words = (all: readonly string[], type: Option['type']): Option[] =>
  all.map((label) => ({ label, type }));

/** Returns the text of the expression before the cursor, after `{{` or `{%`; null outside of both. */
function expressionBefore(before: string, bare: boolean): { text: string; isTag: boolean } | null {
  if (bare) return { text: before, isTag: false };
  if (!isWithinTag(before, before.length)) return null;
  const opened = Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'));
  return { text: before.slice(opened + 2).replace(/^-/, ''), isTag: before[opened + 1] === '%' };
}

/**
 * @param before the text before the cursor
 * @param bare whether the whole text is an expression, without braces
 * @param explicit whether the user asked, so that all words are offered before the first letter
 */
export function completeLiquid(
  before: string,
  { scope, bare, explicit }: { scope: Scope; bare: boolean; explicit: boolean },
): Completion | null {
  const expression = expressionBefore(before, bare);
  if (!expression) return null;
  const { text, isTag } = expression;
  const found = (word: string, options: Option[]): Completion | null =>
    options.length === 0 ? null : { from: before.length - word.length, options };
  const quotes = text.replaceAll(/"[^"]*"|'[^']*'/g, '');
  if (/["']/.test(quotes)) return null;
  const tag = /^\s*(\w*)$/.exec(text);
  if (isTag && tag) return found(tag[1] ?? '', words(TAGS, 'keyword'));
  const filter = /\|\s*(\w*)$/.exec(text);
  if (filter) return found(filter[1] ?? '', words(FILTERS, 'function'));
  const all = withLocals(before, scope);
  const property = AFTER_DOT.exec(text);
  if (property) return found(property[2] ?? '', getProperties(valueAt(all, property[1] ?? '')));
  const [word = ''] = /[A-Za-z_]\w*$/.exec(text) ?? [];
  // Not after a digit, nor before the first letter of a condition that is still empty.
  if (word === '' && !explicit && (bare || !/^\s*$/.test(text))) return null;
  const conditional = bare || /^\s*(if|elsif|unless)\b/.test(text);
  return found(word, [
    ...Object.entries(all).map(([label, value]): Option => ({
      label,
      type: 'variable',
      detail: getDetail(value),
    })),
    ...words(LITERALS, 'constant'),
    ...(conditional ? words(OPERATORS, 'keyword') : []),
  ]);
}
