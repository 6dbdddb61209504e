/** HTML of a stranger as text: what is to be read, addresses of links beside their words, nothing that runs or is fetched. */
import { compile } from 'html-to-text';

/** More is cut off: it is more than anybody reads, and each tag costs time. */
export const MAX_HTML = 300_000;
/** Tables in tables reach some dozens. Thousands are made to hurt: their time grows with the square. */
const DEEPEST = 300;
/** Elements that have no end tag, or mostly none. */
const UNCLOSED =
  /^(area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|tbody|td|tfoot|th|thead|tr|track|wbr)$/i;

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: 2 * MAX_HTML, maxDepth: 4 * DEEPEST, maxChildNodes: 5000, maxBaseElements: 10 },
  selectors: [
    { selector: 'a', options: { ignoreHref: false, hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'style', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Each line of these is written anew at each level: a deep one of many lines costs both multiplied. */
const INDENTING = /<(\/?)(?:blockquote|[ou]l)(?=[\s/>])/gi;
const DEEPEST_INDENT = 20;

export const htmlToText = (html: string): string =>
  convert(flattened(beforeTooDeep(html.slice(0, MAX_HTML))))
    // No pattern for the spaces at the ends of lines: in a long run of them it begins anew at each.
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** Quotes and lists in more of them than anybody can tell apart are plain blocks. */
function flattened(html: string): string {
  let depth = 0;
  return html.replaceAll(INDENTING, (tag, end: string) => {
    const level = end ? depth : depth + 1;
    depth = end ? Math.max(depth - 1, 0) : depth + 1;
    return level > DEEPEST_INDENT ? `<${end}div` : tag;
  });
}

function beforeTooDeep(html: string): string {
  let depth = 0;
  for (const tag of html.matchAll(/<(\/?)([a-z][a-z\d]*)/gi)) {
    if (UNCLOSED.test(tag[2]!)) continue;
    depth = tag[1] ? Math.max(depth - 1, 0) : depth + 1;
    if (depth > DEEPEST) return html.slice(0, tag.index);
  }
  return html;
}
