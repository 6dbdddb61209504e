/**
 * Text of strangers, made harmless for where it is shown. Nothing here is about JSON: that comes after it.
 *
 * - Slack: `&`, `<` and `>` are all of its markup that can mention, link or break out (https://docs.slack.dev/messaging/formatting-message-text).
 *   Bold and its kin are left as they are: they change how a word looks, and nothing else.
 * - Discord: each character that its Markdown knows gets a backslash, so that no link says another address than it goes to
 *   and no `<@…>` mentions; `@everyone` and `@here` are broken by a character without width. Bodies say `allowed_mentions: {parse: []}` besides.
 * - Teams: Markdown as Adaptive Cards know it: links, lists, emphasis; `<at>` as in mentions.
 */
import type { TemplateKind } from './templates.ts';

const WIDTHLESS = '\u200B';

const same = (text: string): string => text;

const slack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Addresses stay as they are: whoever reads them sees where they go, and a backslash in them would be followed too. A
 * bracket that is not of a pair ends one: `https://a.example](https://b.example` would end the text of a link.
 */
const ADDRESS = /(https?:\/\/(?:[^\s<>"'`\\()[\]]|\([^\s<>"'`\\()[\]]*\))+)/;
/** Those that Discord takes for everybody, wherever they stand. */
const EVERYBODY = /@(?=everyone|here)/g;
const besideAddresses = (
  text: string,
  escape: (part: string) => string,
  ofAddress: (part: string) => string = same,
): string =>
  text
    .split(ADDRESS)
    .map((part, index) => (index % 2 ? ofAddress(part) : escape(part)))
    .join('');

/** What begins a list or a heading. */
const AT_START = /^([ \t]*)([-+#]|\d+\.)(?=\s|#)/gm;
/** Within a word it is no markup. */
const UNDERSCORES = /(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

const discord = (text: string): string =>
  besideAddresses(
    text,
    (part) =>
      part
        .replace(/[\\*~`|[\]()<>]/g, '\\$&')
        .replace(UNDERSCORES, '\\_')
        .replace(EVERYBODY, `@${WIDTHLESS}`)
        .replace(AT_START, '$1\\$2'),
    (address) => address.replace(EVERYBODY, '%40'),
  );

const teams = (text: string): string =>
  besideAddresses(text, (part) =>
    part
      .replace(/[\\*~`[\]()]/g, '\\$&')
      .replace(UNDERSCORES, '\\_')
      .replaceAll('<', '&lt;')
      .replace(AT_START, '$1\\$2'),
  );

export const escapeMarkup: Record<TemplateKind, (text: string) => string> = {
  text: same,
  condition: same,
  json: same,
  slack,
  discord,
  teams,
};
