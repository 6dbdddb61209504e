/**
 * Headers of a page with scripts: it may run only its own files and the inline scripts that it was built with, connect
 * only to this server, and not be framed. Inline styles need the nonce, which is new for each response.
 */
import { createHash, randomBytes } from 'node:crypto';

export interface PageHeaders {
  nonce: string;
  headers: Record<string, string>;
}

const INLINE_SCRIPT = /<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g;

/** Returns the CSP sources of the inline scripts of a built page. */
export const inlineScriptSources = (page: string): string[] =>
  [...page.matchAll(INLINE_SCRIPT)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  );

/** @param scripts of `inlineScriptSources` */
export function pageHeaders(scripts: readonly string[] = []): PageHeaders {
  const nonce = randomBytes(16).toString('base64');
  return {
    nonce,
    headers: {
      'Content-Security-Policy': [
        "default-src 'none'",
        ["script-src 'self'", ...scripts].join(' '),
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "media-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy':
        'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
    },
  };
}
