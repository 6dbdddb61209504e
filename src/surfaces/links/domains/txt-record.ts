/**
 * The TXT record that proves ownership of a host, and its lookup. Lookups use c-ares, which blocks no thread, and take
 * at most LOOKUP_MS, even if the zone's name servers don't respond.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const LOOKUP_MS = 6_000;
/** Number of found records that error details show. */
const MAX_SHOWN = 3;
const MAX_SHOWN_LENGTH = 100;

export const newToken = (): string => randomBytes(16).toString('hex');

export const recordName = (host: string): string => `_fairlead.${host}`;
export const recordValue = (token: string): string => `fairlead-verify=${token}`;

interface LookupError {
  code: 'record_missing' | 'record_differs' | 'lookup_failed';
  detail: string;
}

/** Resolves the TXT records of a name, each as one string. @throws Error with a c-ares `code` */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** Result of a lookup, before the records are compared. */
export type FoundTxt = { records: string[] } | { fault: LookupError };

/** Creates the lookup. @param servers as address or address:port; empty for the system's resolvers */
export function createResolveTxt(servers: readonly string[]): ResolveTxt {
  return async (name) => {
    // One resolver per lookup: it picks up changes of the system's servers and can be canceled separately.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers.length) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), LOOKUP_MS);
    try {
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join(''));
    } finally {
      clearTimeout(timer);
    }
  };
}

const MISSING = new Set(['ENOTFOUND', 'ENODATA']);
const REASONS: Record<string, string> = {
  ESERVFAIL: 'the name servers of the zone failed (SERVFAIL)',
  EREFUSED: 'the name server refused the query',
  ETIMEOUT: 'the name servers did not answer in time',
  ECANCELLED: 'the name servers did not answer in time',
  ECONNREFUSED: 'the name server cannot be reached',
};

export async function findTxt(resolve: ResolveTxt, host: string): Promise<FoundTxt> {
  const name = recordName(host);
  try {
    return { records: await resolve(name) };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    if (MISSING.has(code))
      return { fault: { code: 'record_missing', detail: `There is no TXT record at ${name} yet.` } };
    const reason = REASONS[code] ?? `the lookup failed with ${code.slice(0, 40)}`;
    return {
      fault: { code: 'lookup_failed', detail: `The TXT record at ${name} could not be read: ${reason}.` },
    };
  }
}

/** Compares found records with the expected one. @returns the error, or null if the record was found */
export function checkTxt(found: FoundTxt, host: string, token: string): LookupError | null {
  if ('fault' in found) return found.fault;
  const expected = recordValue(token);
  if (found.records.some((record) => record.trim() === expected)) return null;
  if (!found.records.length)
    return { code: 'record_missing', detail: `There is no TXT record at ${recordName(host)} yet.` };
  // Untrusted content: truncated here, and stored and rendered as plain text.
  const shown = found.records.slice(0, MAX_SHOWN).map((record) =>
    JSON.stringify(
      record
        .replaceAll(/\p{Cc}/gu, ' ')
        .toWellFormed()
        .slice(0, MAX_SHOWN_LENGTH),
    ),
  );
  const rest = found.records.length - shown.length;
  return {
    code: 'record_differs',
    detail: `The TXT record at ${recordName(host)} is ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}, but must be ${expected}.`,
  };
}
