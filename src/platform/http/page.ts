/**
 * Pages for visitors of public addresses: small, without scripts, images, or anything from another server. All values
 * are escaped as text.
 */
import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark;--ink:#1b2025;--soft:#5a636d;--line:#d4d9de;--paper:#fff;--ground:#f7f8f9;--accent:#0b6b6c;--on:#fff;--bad:#c22525}
@media(prefers-color-scheme:dark){:root{--ink:#d8dce1;--soft:#a9b1ba;--line:#444c55;--paper:#181c20;--ground:#101316;--accent:#0f7676;--on:#fff;--bad:#ff8b8b}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:480px;padding:28px 24px;background:var(--paper);border:1px solid var(--line);border-radius:8px}
h1{margin:0 0 8px;font-size:22px;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 12px;color:var(--soft);overflow-wrap:anywhere}
p:last-child{margin-bottom:0}
.url{padding:10px 12px;border:1px solid var(--line);border-radius:6px;color:var(--ink);font:14px/1.5 ui-monospace,monospace}
.bad{color:var(--bad)}
label{display:block;margin:16px 0 6px;font-weight:600}
input,button,.go{display:block;width:100%;padding:10px 12px;border-radius:6px;font:inherit}
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

/** For a page at an address that a workspace controls: it has no form, and nothing on it belongs to this origin. */
export const SANDBOXED_PAGE_HEADERS: Record<string, string> = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': `${PAGE_HEADERS['Content-Security-Policy']}; form-action 'none'; sandbox`,
};

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);

export const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title>${head}<style>${STYLE}</style></head><body><main>${body}</main></body></html>`;

export const heading = (title: string): string => `<h1>${escapeHtml(title)}</h1>`;
export const paragraph = (text: string, kind = ''): string =>
  `<p${kind && ` class="${kind}"`}>${escapeHtml(text)}</p>`;

export const noticePage = (title: string, text: string): string =>
  page(title, heading(title) + paragraph(text));
