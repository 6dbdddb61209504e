/**
 * Text of strangers, made harmless for where it is shown. Nothing here is about JSON: that comes after it.
 *
 * - Slack: `&`, `<` and `>` are all of its markup that can mention, link or break out (https://docs.slack.dev/messaging/formatting-message-text).
 *   Bold and its kin are left as they are: they change how a word looks, and nothing else.
 * - Discord: each character that its Markdown knows gets a backslash, so that no link says another address than it goes to;
 *   mentions and custom emoji (`<@…>`, `@everyone`) are broken by a character without width. Bodies say `allowed_mentions: {parse: []}` besides.
 * - Teams: Markdown as Adaptive Cards know it: links, lists, emphasis; `<at>` as in mentions.
 */
import type { TemplateKind } from './templates.ts';

const WIDTHLESS = '\u200B';

const slack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const discord = (text: string): string =>
  text
    .replace(/[\\*_~`|[\]()<>#]/g, '\\$&')
    .replaceAll('@', `@${WIDTHLESS}`)
    .replace(/^([ \t]*)([-+]|\d+\.)(?=\s)/gm, '$1\\$2');

const teams = (text: string): string =>
  text
    .replace(/[\\*_~`[\]()]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replace(/^([ \t]*)([-+#]|\d+\.)(?=\s)/gm, '$1\\$2');

const same = (text: string): string => text;

export const escapeMarkup: Record<TemplateKind, (text: string) => string> = {
  text: same,
  condition: same,
  json: same,
  slack,
  discord,
  teams,
};
