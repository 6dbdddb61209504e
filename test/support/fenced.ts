/** What stands in documents between fences. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '../../docs');

export interface Fenced {
  /** What stands behind the opening fence, as `sh`. */
  language: string;
  /** What stands behind that: `run`, or `file=…`. */
  mark: string;
  text: string;
  /** Of its first line, in the document. */
  line: number;
}

/** @param name of a file in docs, as `webhooks.md` */
export const readPage = (name: string): string => readFileSync(join(DOCS, name), 'utf8');

/** All fenced blocks of a page, in order. */
export const fencedIn = (page: string): Fenced[] =>
  [...page.matchAll(/^```(\S*) ?(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    mark: match[2]!,
    text: match[3]!,
    line: page.slice(0, match.index).split('\n').length + 1,
  }));
