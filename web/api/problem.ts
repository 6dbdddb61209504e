/** A rejection by the server (RFC 9457), as an error that forms and pages can show. */
import { t } from '../copy/text.ts';

export interface Fault {
  /** JSON pointer into the body (`/name`), or `?name` for a query parameter. */
  pointer: string;
  code: string;
  detail: string;
  /** A value that would be accepted, where the server knows one. */
  suggestion?: string;
}

export class ApiProblem extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Stable snake_case code of the error catalog; `network` if there was no response. */
  readonly code: string;
  readonly title: string;
  readonly faults: Fault[];
  readonly requestId: string | null;
  /** RFC 3339: when an exceeded budget begins again; null for other problems. */
  readonly resetsAt: string | null;

  constructor(fields: {
    status: number;
    code: string;
    title: string;
    detail: string;
    faults?: Fault[];
    requestId?: string | null;
    resetsAt?: string | null;
  }) {
    super(fields.detail);
    this.name = 'ApiProblem';
    this.status = fields.status;
    this.code = fields.code;
    this.title = fields.title;
    this.faults = fields.faults ?? [];
    this.requestId = fields.requestId ?? null;
    this.resetsAt = fields.resetsAt ?? null;
  }
}

/**
 * Creates the error that a form throws before it calls the server. The field is marked like one that the server
 * rejected.
 */
export const fieldProblem = (pointer: string, detail: string): ApiProblem =>
  new ApiProblem({
    status: 400,
    code: 'invalid_request',
    title: t('Request failed'),
    detail,
    faults: [{ pointer, code: 'required', detail }],
  });

/** Whether there is no such record. */
export const isMissing = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem && error.status === 404;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback;

/**
 * Parses problem+json, sign-in's `{code, message}`, a provider's `{error: {code, message}}`, or the response of a
 * proxy.
 */
export function getProblem(status: number, body: unknown, requestId: string | null = null): ApiProblem {
  const all = isRecord(body) ? body : {};
  const fields = isRecord(all['error']) ? { ...all['error'], ...all } : all;
  const faults = Array.isArray(fields['errors']) ? fields['errors'].filter(isRecord) : [];
  return new ApiProblem({
    status: typeof fields['status'] === 'number' ? fields['status'] : status,
    code: text(fields['code'], `http_${status}`),
    title: text(fields['title'], t('Request failed')),
    detail: text(
      fields['detail'],
      text(fields['message'], t('The server responded with status {status}.', { status })),
    ),
    requestId: text(fields['request_id'], requestId ?? '') || null,
    resetsAt: text(fields['resets_at'], '') || null,
    faults: faults.map((fault) => ({
      pointer: text(fault['pointer'], ''),
      code: text(fault['code'], ''),
      detail: text(fault['detail'], ''),
      ...(typeof fault['suggestion'] === 'string' ? { suggestion: fault['suggestion'] } : {}),
    })),
  });
}

/** Converts an error of `fetch` without a response to a problem; an abort is returned unchanged. */
export function networkProblem(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  return new ApiProblem({
    status: 0,
    code: 'network',
    title: t('No response'),
    detail: t("The server can't be reached. Check your connection and try again."),
  });
}
