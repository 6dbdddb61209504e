/**
 * Reads the text of rich messages. Blocks and texts are read by their members, not by their kinds, so that kinds which
 * Telegram adds later give the text that they contain.
 */
import type { MessageEntity, User } from '@grammyjs/types';
import { integer, list, object, text, type Untrusted } from './untrusted.ts';

export interface RichText {
  text: string;
  /** Mentioned users, in the form of entities. */
  mentions: Untrusted<MessageEntity & { user: User; username: string }>[];
}

/** Members that contain text, of blocks, items of lists, cells and captions; all optional. */
interface Part {
  type: string;
  text: unknown;
  url: string;
  alternative_text: string;
  expression: string;
  label: string;
  has_checkbox: boolean;
  is_checked: boolean;
  summary: unknown;
  blocks: unknown;
  items: unknown;
  cells: unknown;
  caption: unknown;
  credit: unknown;
  user: User;
  username: string;
}

const MAX_DEPTH = 32;
const MAX_PARTS = 10_000;
const MAX_URL = 2048;

/** @param max characters of the text */
export function readRichText(message: unknown, max: number): RichText {
  const mentions: RichText['mentions'] = [];
  let left = max;

  const take = (given: unknown): string => {
    const taken = text(given, Math.max(left, 0)) ?? '';
    left -= taken.length;
    return taken;
  };

  /**
   * Text within a line. The destination of a link behind other words is added, so that readers see it before they
   * follow it.
   */
  const readInline = (given: unknown, depth: number): string => {
    if (typeof given === 'string') return take(given);
    if (depth > MAX_DEPTH || left <= 0) return '';
    if (Array.isArray(given))
      return list(given, MAX_PARTS)
        .map((one) => readInline(one, depth + 1))
        .join('');
    const part = object<Part>(given);
    if (!part) return '';
    if (part.type === 'text_mention') mentions.push({ type: 'text_mention', user: part.user });
    if (part.type === 'mention') mentions.push({ type: 'mention', username: part.username });
    const words = part.text === undefined ? take(part.alternative_text ?? part.expression) : null;
    const shown = words ?? readInline(part.text, depth + 1);
    const url = text(part.url, MAX_URL);
    return url === null || url === shown ? shown : `${shown} (${url})`;
  };

  const readBlocks = (given: unknown, depth: number): string[] =>
    depth > MAX_DEPTH ? [] : list(given, MAX_PARTS).flatMap((one) => readBlock(one, depth + 1));

  const readItem = (given: unknown, depth: number): string[] => {
    const item = object<Part>(given);
    const box = item?.has_checkbox === true ? (item.is_checked === true ? '[x] ' : '[ ] ') : '';
    const label = take(item?.label);
    const [first = '', ...further] = readBlocks(item?.blocks, depth);
    return [`${label === '' ? '' : `${label} `}${box}${first}`, ...further];
  };

  const readCell = (given: unknown, depth: number): string =>
    readInline(object<Part>(given)?.text, depth).replaceAll('\n', ' ');

  const readBlock = (given: unknown, depth: number): string[] => {
    const block = object<Part>(given);
    if (!block || left <= 0) return [];
    const lines = [
      readInline(block.summary, depth),
      block.text === undefined ? take(block.expression) : readInline(block.text, depth),
      ...readBlocks(block.blocks, depth),
      ...list(block.items, MAX_PARTS).flatMap((one) => readItem(one, depth)),
      ...list(block.cells, MAX_PARTS).map((row) =>
        list(row, MAX_PARTS)
          .map((cell) => readCell(cell, depth))
          .join('\t'),
      ),
    ];
    // The caption of a medium is an object with its own credit; the caption of a table is a text.
    const caption = object<Part>(block.caption);
    const isText = caption?.type !== undefined || !caption;
    lines.push(readInline(isText ? block.caption : caption.text, depth));
    lines.push(readInline(isText ? block.credit : caption.credit, depth));
    return lines.filter((line) => line !== '');
  };

  const lines = readBlocks(object<{ blocks: unknown }>(message)?.blocks, 0);
  return { text: lines.join('\n').slice(0, max), mentions };
}

/** Returns the ID of the user that an entity mentions, if it says so. */
export const getMentionedUser = (entity: { readonly user?: unknown }): number | null =>
  integer(object<User>(entity.user)?.id);
