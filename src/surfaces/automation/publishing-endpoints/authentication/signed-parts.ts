/** The signed parts of a request, independent of the scheme, and the errors of reading them. */
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../../../platform/http/problem.ts';
import type { ALGORITHMS, ENCODINGS } from './endpoint-auth.schema.ts';

/** A raw request: the body has not been parsed or changed. */
export interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface SignedParts {
  /** Name of the signature header, for error messages. */
  header: string;
  algorithm: (typeof ALGORITHMS)[number];
  encoding: (typeof ENCODINGS)[number];
  /** The signed content, in order. */
  signed: readonly (string | Buffer)[];
  /** The signatures from the header; one valid signature is sufficient. */
  signatures: readonly string[];
  /** Signing time in Unix milliseconds; null if the scheme has none. */
  at: number | null;
  /** Extracts the key from a secret in the format of the scheme. */
  getKey: (secret: string) => string | Buffer;
}

/** Further signatures in a header are ignored. */
export const MAX_SIGNATURES = 10;

// RFC 9110 requires a challenge with every 401.
const CHALLENGE = { headers: { 'www-authenticate': 'Signature' } };

export const badSignature = (detail: string): Problem => new Problem('signature_invalid', detail, CHALLENGE);
export const expiredSignature = (detail: string): Problem =>
  new Problem('signature_expired', detail, CHALLENGE);

/**
 * Returns a header.
 * @throws Problem signature_invalid if it is missing
 */
export function toHeader({ headers }: SignedRequest, name: string): string {
  const value = headers[name.toLowerCase()];
  if (value === undefined || value === '') throw badSignature(`The header ${name} is missing.`);
  return String(value);
}

export const malformed = (name: string, form: string): Problem =>
  badSignature(`The header ${name} is not of the form ${form}.`);

/**
 * Exactly ten digits, which suffices until 2286. If time and body are adjacent in the signed content, a fixed length
 * prevents digits from moving between them.
 */
const UNIX_SECONDS = /^\d{10}$/;

/**
 * Converts Unix seconds to milliseconds.
 * @throws Problem signature_invalid
 */
export function unixSeconds(text: string, header: string): number {
  if (!UNIX_SECONDS.test(text)) throw badSignature(`The time in ${header} must be Unix time in seconds.`);
  return Number(text) * 1000;
}
