/**
 * The pages that visitors may see: small, without scripts, pictures, or anything from elsewhere. All that is not of this
 * file is text, and escaped.
 */
import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark;--ink:#16201f;--soft:#52605e;--line:#d5dddb;--paper:#fff;--ground:#f2f5f4;--accent:#0b6b63;--on:#fff;--bad:#a3261b}
@media(prefers-color-scheme:dark){:root{--ink:#e8eeed;--soft:#9fb0ad;--line:#32403e;--paper:#17201f;--ground:#0e1514;--accent:#4fc3b5;--on:#06201d;--bad:#ff9d92}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:480px;padding:28px 24px;background:var(--paper);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 8px;font-size:22px;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 12px;color:var(--soft);overflow-wrap:anywhere}
p:last-child{margin-bottom:0}
.url{padding:10px 12px;border:1px solid var(--line);border-radius:8px;color:var(--ink);font:14px/1.5 ui-monospace,monospace}
.bad{color:var(--bad)}
label{display:block;margin:16px 0 6px;font-weight:600}
input,button,.go{display:block;width:100%;padding:10px 12px;border-radius:8px;font:inherit}
input{border:1px solid var(--soft);background:var(--paper);color:var(--ink)}
button,.go{margin-top:12px;border:0;background:var(--accent);color:var(--on);font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
input:focus-visible,button:focus-visible,.go:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Headers of every page. No `form-action`: browsers hold against it where a form's answer redirects to. */
export const PAGE_HEADERS: Record<string, string> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);

const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${escape(title)}</title>${head}<style>${STYLE}</style></head><body><main>${body}</main></body></html>`;

const heading = (title: string): string => `<h1>${escape(title)}</h1>`;
const paragraph = (text: string, kind = ''): string => `<p${kind && ` class="${kind}"`}>${escape(text)}</p>`;

export const noticePage = (title: string, text: string): string =>
  page(title, heading(title) + paragraph(text));

/** @param fault what was wrong with the password before */
export function passwordPage(fault: string | null): string {
  const title = 'This link needs a password';
  const error = fault === null ? '' : `<p class="bad" id="fault" role="alert">${escape(fault)}</p>`;
  const described = fault === null ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return page(
    title,
    `${heading(title)}${paragraph('Whoever gave you the link knows it.')}<form method="post">${error}<label for="password">Password</label><input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="1000"${described}><button>Continue</button></form>`,
  );
}

export interface Card {
  title: string | null;
  description: string | null;
  image: string | null;
}

/** Where a short link leads, before anybody goes. @param target null: it is not shown */
export function previewPage(shortUrl: string, target: string | null, card: Card | null): string {
  const title = card?.title ?? 'Where this link leads';
  const parts = [
    heading(title),
    card?.description ? paragraph(card.description) : '',
    target === null
      ? paragraph('This link does not show where it leads.')
      : paragraph('It leads to this address:') + paragraph(target, 'url'),
    `<a class="go" rel="nofollow noreferrer" href="${escape(shortUrl)}">Continue</a>`,
  ];
  return page(title, parts.join(''));
}

const property = (name: string, value: string | null): string =>
  value === null ? '' : `<meta property="${name}" content="${escape(value)}">`;
const named = (name: string, value: string | null): string =>
  value === null ? '' : `<meta name="${name}" content="${escape(value)}">`;

/** What preview bots read: never where the link leads. */
export function cardPage(shortUrl: string, { title, description, image }: Card): string {
  const shown = title ?? shortUrl;
  const head = [
    property('og:type', 'website'),
    property('og:url', shortUrl),
    property('og:title', shown),
    property('og:description', description),
    property('og:image', image),
    named('description', description),
    named('twitter:card', image === null ? 'summary' : 'summary_large_image'),
    named('twitter:title', shown),
    named('twitter:description', description),
    named('twitter:image', image),
  ];
  return page(shown, heading(shown) + (description === null ? '' : paragraph(description)), head.join(''));
}
