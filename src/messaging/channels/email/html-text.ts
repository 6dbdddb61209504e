/** HTML of a stranger as text: what is to be read, addresses of links beside their words, nothing that runs or is fetched. */
import { compile } from 'html-to-text';

/** More is cut off: it is more than anybody reads, and each tag costs time. */
export const MOST_HTML = 500_000;

const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: MOST_HTML, maxDepth: 50, maxChildNodes: 5000, maxBaseElements: 10 },
  selectors: [
    { selector: 'a', options: { ignoreHref: false, hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'script', format: 'skip' },
    { selector: 'style', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

export const htmlToText = (html: string): string =>
  convert(html.slice(0, MOST_HTML))
    .replaceAll(/[^\S\n]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
