/**
 * Names to addresses. Names that users choose go through c-ares, which is asked without a thread: getaddrinfo holds one of
 * libuv's four for as long as a name server pleases, so a few slow zones would stop every look-up and every file operation of
 * the process. Names in EGRESS_ALLOW are the operator's own: they go through getaddrinfo, and so through /etc/hosts.
 */
import { lookup, Resolver as CAres } from 'node:dns/promises';
import { EgressError } from '../addresses/egress-error.ts';

/** @throws EgressError dns_failed */
export type Resolve = (name: string, trusted: boolean) => Promise<string[]>;

/** For how long an answer serves further connections to the same name. Each of them is checked all the same. */
const KEPT_MS = 2000;
const MAX_KEPT = 1000;
/** c-ares reads the name servers of the machine once; they may change while the process lives. */
const RENEWED_MS = 30_000;
/** RFC 8305: once one family has answered, the other is given this long. Some name servers drop AAAA questions. */
const OTHER_FAMILY_MS = 100;

const failed = (cause?: unknown): EgressError =>
  new EgressError('dns_failed', 'The host name could not be resolved.', null, cause);

/** Returns the addresses of both families; those of a family that fails or lags are left out. */
async function bothFamilies(resolver: CAres, name: string): Promise<string[]> {
  const found: string[] = [];
  const note = (addresses: string[]): void => void found.push(...addresses);
  const questions = [resolver.resolve4(name).then(note), resolver.resolve6(name).then(note)] as const;
  const all = Promise.allSettled(questions);
  await Promise.any(questions).catch(() => undefined); // if both failed, the error is thrown below
  if (found.length === 0) {
    const [first] = await all;
    throw failed(first.status === 'rejected' ? first.reason : undefined);
  }
  const { promise: late, resolve: give } = Promise.withResolvers<void>();
  const timer = setTimeout(give, OTHER_FAMILY_MS);
  await Promise.race([all, late]);
  clearTimeout(timer);
  return [...found];
}

/** @param servers name servers other than the machine's, as address:port */
export function createResolve(servers?: string[]): Resolve {
  const kept = new Map<string, { answer: Promise<string[]>; until: number }>();
  let resolver: CAres | null = null;
  let renewAt = 0;

  const ask = (name: string): Promise<string[]> => {
    const now = performance.now();
    if (!resolver || now > renewAt) {
      resolver = new CAres({ timeout: 2000, tries: 2 });
      if (servers) resolver.setServers(servers);
      renewAt = now + RENEWED_MS;
    }
    return bothFamilies(resolver, name);
  };

  return async (name, trusted) => {
    if (trusted) {
      const addresses = await lookup(name, { all: true }).catch((error: unknown) => {
        throw failed(error);
      });
      return addresses.map(({ address }) => address);
    }
    // RFC 6761: these names mean this machine, regardless of any name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const now = performance.now();
    const known = kept.get(name);
    if (known && known.until > now) return known.answer;
    const answer = ask(name);
    if (kept.size >= MAX_KEPT) kept.clear();
    // Concurrent callers share the lookup; its lifetime starts with the answer.
    const entry = { answer, until: Infinity };
    kept.set(name, entry);
    answer.then(
      () => (entry.until = performance.now() + KEPT_MS),
      () => kept.get(name) === entry && kept.delete(name),
    );
    return answer;
  };
}
