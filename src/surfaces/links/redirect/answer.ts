/** Sends responses of short links: redirects, HTML pages, and problems for API clients. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../../../platform/http/errors.ts';
import { newRequestId } from '../../../platform/http/ids.ts';
import { Problem, problemBody } from '../../../platform/http/problem.ts';
import { insistsOnJson, wantsPage } from '../../../platform/http/accept.ts';
import { noticePage, PAGE_HEADERS } from '../../../platform/http/page.ts';

const NO_STORE = 'private, no-store';

/** Redirects a visitor. Never cacheable, whatever the status, because the destination may change. */
export function sendRedirect(
  response: ServerResponse,
  status: number,
  location: string,
  cookie?: string,
): void {
  const headers = ['Location', location, 'Cache-Control', NO_STORE, 'Content-Length', '0'];
  if (cookie !== undefined) headers.push('Set-Cookie', cookie);
  response.writeHead(status, headers);
  response.end();
}

/** Sends 200 without body and destination, for HEAD requests that must not reveal it. */
export function sendNothing(response: ServerResponse): void {
  response.writeHead(200, ['Cache-Control', NO_STORE, 'Content-Length', '0', 'X-Robots-Tag', 'noindex']);
  response.end();
}

function sendPage(
  response: ServerResponse,
  status: number,
  html: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...PAGE_HEADERS,
    ...headers,
    'Content-Length': String(Buffer.byteLength(html)),
  });
  response.end(html);
}

/** A message to visitors who are not redirected. */
export interface Notice {
  code: ErrorCode;
  title: string;
  text: string;
  headers?: Record<string, string>;
}

function sendProblem(response: ServerResponse, { code, text, headers = {} }: Notice, baseUrl: string): void {
  const problem = new Problem(code, text);
  const id = newRequestId();
  const body = JSON.stringify(problemBody(problem, id, baseUrl));
  response.writeHead(problem.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': NO_STORE,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Fairlead-Request-Id': id,
    ...headers,
  });
  response.end(body);
}

export interface Responder {
  /** Sends a page to browsers, or a problem to API clients. */
  notice(request: IncomingMessage, response: ServerResponse, notice: Notice): void;
  /** Sends the given page, or a problem to clients that only accept JSON. */
  page(
    request: IncomingMessage,
    response: ServerResponse,
    html: string,
    notice: Notice | null,
    status?: number,
  ): void;
}

export function createResponder(baseUrl: string): Responder {
  return {
    notice(request, response, notice) {
      if (!wantsPage(request.headers.accept)) return sendProblem(response, notice, baseUrl);
      const { status } = new Problem(notice.code, notice.text);
      return sendPage(response, status, noticePage(notice.title, notice.text), notice.headers);
    },
    page(request, response, html, notice, status = 200) {
      if (notice !== null && insistsOnJson(request.headers.accept))
        return sendProblem(response, notice, baseUrl);
      return sendPage(response, status, html, notice?.headers);
    },
  };
}

export const NOTICES = {
  notFound: {
    code: 'not_found',
    title: "This link doesn't exist",
    text: 'It may have been mistyped or deleted.',
  },
  gone: {
    code: 'link_gone',
    title: 'This link is no longer active',
    text: 'It has expired, reached its click limit, or was archived by its owner.',
  },
  password: {
    code: 'link_password_required',
    title: 'This link needs a password',
    text: 'Send it as the form field password with a POST request to the same URL.',
  },
  unavailable: {
    code: 'unavailable',
    title: 'This link is temporarily unavailable',
    text: 'Try again in a moment.',
    headers: { 'Retry-After': '1' },
  },
  method: {
    code: 'method_not_allowed',
    title: 'Method not allowed',
    text: 'Short links support GET, HEAD and POST.',
    headers: { Allow: 'GET, HEAD, POST' },
  },
  tooLarge: {
    code: 'payload_too_large',
    title: 'Request too large',
    text: 'A password form may be at most 8 KiB.',
    headers: { Connection: 'close' },
  },
  failed: {
    code: 'internal_error',
    title: 'Something went wrong',
    text: 'We could not open this link. Try again in a moment.',
  },
} as const satisfies Record<string, Notice>;

export const tooManyAttempts = (seconds: number): Notice => ({
  code: 'rate_limited',
  title: 'Too many attempts',
  text: `Wait ${seconds} seconds, then try the password again.`,
  headers: { 'Retry-After': String(seconds) },
});
