/** What is read of a signed request, whatever its scheme; and the refusals that reading it may end in. */
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../../../platform/http/problem.ts';
import type { ALGORITHMS, ENCODINGS } from '../endpoint-auth.schema.ts';

/** A request as it came: nothing of the body has been read or changed. */
export interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface SignedParts {
  /** For whoever is refused: where signatures stand. */
  header: string;
  algorithm: (typeof ALGORITHMS)[number];
  encoding: (typeof ENCODINGS)[number];
  /** What was signed, one after the other. */
  signed: readonly (string | Buffer)[];
  /** As they stand in the header; one of them that is right will do. */
  signatures: readonly string[];
  /** When it was signed, in milliseconds since 1970; null where the scheme does not say. */
  at: number | null;
  /** The key in a secret, as senders of the scheme write it. */
  keyOf: (secret: string) => string | Buffer;
}

/** Of a header with more, those at the end are not looked at. */
export const MAX_SIGNATURES = 10;

// RFC 9110 wants a challenge with every 401.
const CHALLENGE = { headers: { 'www-authenticate': 'Signature' } };

export const badSignature = (detail: string): Problem => new Problem('signature_invalid', detail, CHALLENGE);
export const expiredSignature = (detail: string): Problem =>
  new Problem('signature_expired', detail, CHALLENGE);

/** @throws Problem signature_invalid where there is none */
export function headerOf({ headers }: SignedRequest, name: string): string {
  const value = headers[name.toLowerCase()];
  if (value === undefined || value === '') throw badSignature(`The header ${name} is missing.`);
  return String(value);
}

export const malformed = (name: string, form: string): Problem =>
  badSignature(`The header ${name} is not of the form ${form}.`);

/**
 * Exactly ten digits, as there will be until 2286: where time and body stand side by side in what is signed, no digit of
 * one can be taken for one of the other.
 */
const UNIX_SECONDS = /^\d{10}$/;

/** Milliseconds since 1970. @throws Problem signature_invalid */
export function unixSeconds(text: string, header: string): number {
  if (!UNIX_SECONDS.test(text)) throw badSignature(`The time in ${header} must be Unix time in seconds.`);
  return Number(text) * 1000;
}
