/** Finds the parts of a Liquid template that an editor highlights. */
import { OPERATORS } from './liquid-words.ts';

export type TokenKind = 'tag' | 'brace' | 'keyword' | 'filter' | 'string' | 'literal' | 'path';

export interface Token {
  from: number;
  to: number;
  kind: TokenKind;
}

const TAG = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
const PART = /"[^"]*"?|'[^']*'?|\d+(?:\.\d+)?|\|\s*[A-Za-z_]\w*|[A-Za-z_][\w-]*(?:\.[\w-]+)*/g;
const WORDS = new Set([...OPERATORS, 'in', 'with', 'limit', 'offset', 'reversed']);
const LITERAL = /^(?:\d|true$|false$|nil$|null$|blank$|empty$)/;

/** @param isTag whether the first word is the name of a tag */
function expressionTokens(text: string, start: number, isTag: boolean): Token[] {
  return [...text.matchAll(PART)].map(({ 0: word, index }, at) => {
    const from = start + index;
    const to = from + word.length;
    if (word.startsWith('|'))
      return { from: from + word.length - word.slice(1).trimStart().length, to, kind: 'filter' };
    if (word.startsWith('"') || word.startsWith("'")) return { from, to, kind: 'string' };
    if (LITERAL.test(word)) return { from, to, kind: 'literal' };
    return { from, to, kind: (isTag && at === 0) || WORDS.has(word) ? 'keyword' : 'path' };
  });
}

/**
 * Returns the tokens in order; a `tag` covers those inside it.
 * @param bare whether the whole text is an expression, without braces
 */
export function liquidTokens(text: string, bare: boolean): Token[] {
  if (bare) return expressionTokens(text, 0, false);
  return [...text.matchAll(TAG)].flatMap(({ 0: tag, index: from }): Token[] => {
    const to = from + tag.length;
    return [
      { from, to, kind: 'tag' },
      { from, to: from + 2, kind: 'brace' },
      ...expressionTokens(tag.slice(2, -2), from + 2, tag.startsWith('{%')),
      { from: to - 2, to, kind: 'brace' },
    ];
  });
}

const PLACE = /\bline (\d+), column (\d+)/gi;
/** A tag, since errors name its begin, or a word. */
const WORD = /^\{\{.*?\}\}|^\{%.*?%\}|^[\w.]+|^./;

/** Returns the ranges of a text that error messages name as `Line 1, column 4`. */
export const errorRanges = (text: string, messages: string): { from: number; to: number }[] =>
  [...messages.matchAll(PLACE)].flatMap(([, line, column]) => {
    const lines = text.split('\n');
    const own = lines[Number(line) - 1];
    if (own === undefined) return [];
    const at = Math.min(Number(column) - 1, Math.max(own.length - 1, 0));
    const from = lines.slice(0, Number(line) - 1).join('\n').length + (line === '1' ? 0 : 1) + at;
    const length = WORD.exec(own.slice(at))?.[0].length ?? 0;
    return length === 0 ? [] : [{ from, to: from + length }];
  });
