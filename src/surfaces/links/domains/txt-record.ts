/**
 * The TXT record that shows whose a host is, and looking it up: by c-ares, which holds no thread, and never for longer
 * than LOOKUP_MS, whatever a zone's servers do.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const LOOKUP_MS = 6_000;
/** Of what a zone answers, for the error that shows it. */
const MAX_SHOWN = 3;
const MAX_SHOWN_LENGTH = 100;

export const newToken = (): string => randomBytes(16).toString('hex');

export const recordName = (host: string): string => `_fairlead.${host}`;
export const recordValue = (token: string): string => `fairlead-verify=${token}`;

interface LookupFault {
  code: 'record_missing' | 'record_differs' | 'lookup_failed';
  detail: string;
}

/** What stands at a name, each record as one string. @throws Error with `code` as c-ares says it */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** What stands at a host's name, before it is compared with anything. */
export type FoundTxt = { records: string[] } | { fault: LookupFault };

/** @param servers as address or address:port; empty: those of the machine */
export function createResolveTxt(servers: readonly string[]): ResolveTxt {
  return async (name) => {
    // One for each look-up: the machine's servers are read anew, and an abandoned one can be ended by itself.
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
  ESERVFAIL: 'the name servers of the zone have a fault (SERVFAIL)',
  EREFUSED: 'the name server refused to answer',
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
    const reason = REASONS[code] ?? `the look-up ended with ${code.slice(0, 40)}`;
    return {
      fault: { code: 'lookup_failed', detail: `The TXT record at ${name} could not be read: ${reason}.` },
    };
  }
}

/** @returns what speaks against the record of a domain, or null */
export function faultOfTxt(found: FoundTxt, host: string, token: string): LookupFault | null {
  if ('fault' in found) return found.fault;
  const wanted = recordValue(token);
  if (found.records.some((record) => record.trim() === wanted)) return null;
  if (!found.records.length)
    return { code: 'record_missing', detail: `There is no TXT record at ${recordName(host)} yet.` };
  // What strangers wrote: it is bounded here, stored as text, and shown as text.
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
    detail: `At ${recordName(host)} stands ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}, not ${wanted}.`,
  };
}
