/**
 * Converts a stranger's HTML to text: readable content, with link addresses after their texts. Nothing is executed or
 * fetched. html-to-text 10 takes over a second for 100,000 nested elements and then exceeds the stack; this takes linear
 * time and no stack.
 */
import { Tokenizer } from 'htmlparser2';

/**
 * Maximum characters, more than a person would read. The rest is cut off and marked. Pictures embedded in the HTML
 * count as well.
 */
export const MAX_HTML = 2_000_000;
/** Marks omitted text. */
export const CUT = '[…]';
/** Maximum depth of quotes and lists that are indented. Deeper levels look the same. */
const DEEPEST_INDENT = 20;

/** Number of newlines before and after block elements. Other elements are inline. */
const BLOCKS = new Map<string, 1 | 2>([
  ...(
    'address article aside body caption center dd details dialog div dl dt fieldset figcaption figure footer form header html ' +
    'legend main menu nav optgroup section summary table tbody tfoot thead tr'
  )
    .split(' ')
    .map((name) => [name, 1] as const),
  ...'blockquote h1 h2 h3 h4 h5 h6 p pre'.split(' ').map((name) => [name, 2] as const),
]);
/** Inline elements that are separated from adjacent text by a space. */
const APART = new Set(['button', 'input', 'label', 'meter', 'option', 'output', 'select', 'textarea']);
const UNREAD = new Set(['script', 'style', 'title']);
const LINK = /^(?:https?|ftp|mailto|tel|sms|xmpp|geo):/i;
const SPACE = /[ \t\r\n\f]+/;

/** Converts HTML to text. Runs in linear time for any input, and doesn't rely on closing tags. */
export function htmlToText(html: string): string {
  const text = createText();
  let tag = '';
  let attribute = '';
  let attributes: { href?: string; start?: string } = {};
  let unread = '';
  let isUnreadText = false;
  const read = (part: string): void => {
    if (unread === '') text.write(part);
    else isUnreadText ||= part.trim() !== '';
  };
  const source = html.slice(0, MAX_HTML);
  const nothing = (): void => {};
  const addToAttribute = (part: string): void => {
    if (attribute === 'href' || attribute === 'start')
      attributes[attribute] = (attributes[attribute] ?? '') + part;
  };
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname(start, end) {
        tag = source.slice(start, end).toLowerCase();
        attributes = {};
      },
      onattribname(start, end) {
        const name = source.slice(start, end).toLowerCase();
        // The first of several attributes with the same name counts.
        attribute = name in attributes ? '' : name;
      },
      onattribdata: (start, end) => addToAttribute(source.slice(start, end)),
      onattribentity: (point) => addToAttribute(String.fromCodePoint(point)),
      onattribend: nothing,
      onopentagend() {
        text.open(tag, attributes);
        if (!UNREAD.has(tag)) return;
        unread = tag;
        isUnreadText = false;
      },
      onselfclosingtag: () => text.open(tag, attributes),
      onclosetag(start, end) {
        const name = source.slice(start, end).toLowerCase();
        if (name === unread) unread = '';
        text.close(name);
      },
      ontext: (start, end) => read(source.slice(start, end)),
      ontextentity: (point) => read(String.fromCodePoint(point)),
      oncdata: (start, end) => read(source.slice(start, end)),
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  const isCut = html.length > MAX_HTML || (unread !== '' && isUnreadText);
  const written = text.end();
  return isCut ? `${written}\n${CUT}`.trim() : written;
}

interface Text {
  open(tag: string, attributes: { href?: string; start?: string }): void;
  close(tag: string): void;
  write(text: string): void;
  end(): string;
}

/** The current table cell. Block breaks at its start and end are ignored. */
interface Cell {
  hasText: boolean;
  /** Whether it has several lines, so that the next cell starts on a new line. */
  hasLines: boolean;
  /** Newlines that were pending before it. */
  before: number;
}

interface Table {
  cell: Cell | null;
  hasText: boolean;
}

function createText(): Text {
  const out: string[] = [];
  /** Pending before the next word: newlines, or else tabs, or else a space. */
  let breaks = 0;
  let tabs = 0;
  let isApart = false;
  let pre = 0;
  /** Indents of lines for quotes and list items. `first` is used once, on an item's first line. */
  const indents: { first: string | null; rest: string }[] = [];
  const quotes: number[] = [];
  const lists: { next: number | null; depth: number }[] = [];
  const tables: Table[] = [];
  let link: { href: string; words: string[] } | null = null;
  let lastQuotes = 0;

  const countQuotes = (): number => indents.filter(({ rest }) => rest === '> ').length;
  const beginLine = (): void => {
    const depth = countQuotes();
    if (out.length > 0) {
      out.push('\n');
      if (breaks > 1) out.push('> '.repeat(Math.min(depth, lastQuotes)), '\n');
    }
    lastQuotes = depth;
    for (const indent of indents) {
      out.push(indent.first ?? indent.rest);
      indent.first = null;
    }
    breaks = 0;
    tabs = 0;
    isApart = false;
  };
  const put = (word: string): void => {
    const table = tables.at(-1);
    if (breaks > 0 || out.length === 0) {
      if (table?.cell?.hasText) table.cell.hasLines = true;
      beginLine();
    } else if (tabs > 0) out.push('\t'.repeat(tabs));
    else if (isApart) out.push(' ');
    tabs = 0;
    isApart = false;
    out.push(word);
    if (table) table.hasText = true;
    if (table?.cell) table.cell.hasText = true;
    link?.words.push(word);
  };
  const isCellBegun = (): boolean => tables.at(-1)?.cell?.hasText !== false;
  const breakLine = (count: number): void => {
    if (isCellBegun()) breaks = Math.max(breaks, count);
  };
  const endCell = (table: Table | undefined): void => {
    const cell = table?.cell;
    if (!cell) return;
    if (!cell.hasText) breaks = cell.before;
    else breaks = cell.hasLines ? 1 : 0;
    table.cell = null;
  };
  const endTable = (): void => {
    const table = tables.pop();
    endCell(table);
    const outer = tables.at(-1)?.cell;
    if (!table?.hasText || !outer) return;
    tables.at(-1)!.hasText = true;
    outer.hasText = true;
    outer.hasLines = true;
  };
  const endLink = (): void => {
    if (!link) return;
    const { href, words } = link;
    link = null;
    const isSame = words.join('').toLowerCase() === href.replace(/^(?:mailto|tel):/i, '').toLowerCase();
    if (isSame || !LINK.test(href)) return;
    isApart = words.length > 0;
    put(`[${href}]`);
    isApart = true;
  };
  const indent = (first: string | null, rest: string): void => {
    if (indents.length < DEEPEST_INDENT) indents.push({ first, rest });
  };

  return {
    open(tag, { href, start }) {
      if (tag === 'br') {
        if (isCellBegun()) breaks = Math.min(breaks + 1, 2);
        return;
      }
      if (tag === 'td' || tag === 'th') {
        const table = tables.at(-1);
        if (!table) return breakLine(1);
        if (table.cell) endCell(table);
        if (breaks === 0) tabs++;
        table.cell = { hasText: false, hasLines: false, before: breaks };
        return;
      }
      if (tag === 'tr') endCell(tables.at(-1));
      breakLine(BLOCKS.get(tag) ?? 0);
      if (APART.has(tag)) isApart = true;
      if (tag === 'table') tables.push({ cell: null, hasText: false });
      else if (tag === 'pre') pre++;
      else if (tag === 'blockquote') {
        quotes.push(indents.length);
        indent(null, '> ');
      } else if (tag === 'ul' || tag === 'ol') {
        breakLine(lists.length === 0 ? 2 : 1);
        const number = Math.trunc(Number(start ?? 1));
        const next = Number.isSafeInteger(number) ? number : 1;
        lists.push({ next: tag === 'ol' ? next : null, depth: indents.length });
      } else if (tag === 'li') {
        breakLine(1);
        const list = lists.at(-1);
        if (!list) return;
        indents.length = Math.min(indents.length, list.depth);
        const first = list.next === null ? ' * ' : ` ${list.next++}. `;
        indent(first, ' '.repeat(first.length));
      } else if (tag === 'hr') {
        breakLine(1);
        put('---');
        breakLine(1);
      } else if (tag === 'a') {
        endLink();
        if (href) link = { href: href.replaceAll(/\s+/g, ''), words: [] };
      }
    },
    close(tag) {
      if (tag === 'a') return endLink();
      if (tag === 'td' || tag === 'th' || tag === 'tr') endCell(tables.at(-1));
      if (tag === 'table') endTable();
      if (tag === 'pre') pre = Math.max(pre - 1, 0);
      if (tag === 'blockquote') indents.length = Math.min(indents.length, quotes.pop() ?? indents.length);
      if (tag === 'ul' || tag === 'ol') {
        indents.length = Math.min(indents.length, lists.pop()?.depth ?? indents.length);
        breakLine(lists.length === 0 ? 2 : 1);
      }
      if (tag === 'li') breakLine(1);
      breakLine(BLOCKS.get(tag) ?? 0);
      if (APART.has(tag)) isApart = true;
    },
    write(text) {
      if (pre > 0) {
        for (const [index, line] of text.split(/\r?\n/).entries()) {
          if (index > 0 && isCellBegun()) breaks = Math.min(breaks + 1, 2);
          if (line !== '') put(line);
        }
        return;
      }
      const words = text.split(SPACE);
      for (const [index, word] of words.entries()) {
        if (index > 0) isApart = true;
        if (word !== '') put(word);
      }
    },
    end() {
      endLink();
      return (
        out
          .join('')
          // A pattern for trailing spaces would take quadratic time in a long run of spaces.
          .split('\n')
          .map((line) => line.trimEnd())
          .join('\n')
          .replaceAll(/\n{3,}/g, '\n\n')
          .trim()
      );
    },
  };
}
