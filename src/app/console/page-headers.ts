/**
 * Headers of a page with scripts: it may run only its own files, talk only to this server, and be framed by
 * nobody. Inline styles need the nonce, which is new for each answer.
 */
import { randomBytes } from 'node:crypto';

export interface PageHeaders {
  nonce: string;
  headers: Record<string, string>;
}

export function pageHeaders(): PageHeaders {
  const nonce = randomBytes(16).toString('base64');
  return {
    nonce,
    headers: {
      'Content-Security-Policy': [
        "default-src 'none'",
        "script-src 'self'",
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
