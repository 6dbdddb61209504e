/**
 * The only way out to a host that a user named: webhooks, media, model providers, mail servers, XMPP. The address is checked
 * where it is a literal, where a name resolves to it, and again on the connected socket; redirects are never followed.
 */
import type net from 'node:net';
import type tls from 'node:tls';
import type { Dispatcher } from 'undici';
import { invalid, Problem } from '../http/problem.ts';
import type { EgressAllow } from '../addresses/allow.ts';
import { type Connect, type ConnectOptions, createConnect } from './connect.ts';
import { createDeadlines } from './deadlines.ts';
import { type OpenSocket, openSocket } from './dial.ts';
import { createDispatcher, type PoolLimits } from './dispatcher.ts';
import { EgressError } from '../addresses/egress-error.ts';
import { type Answer, Exchange, type ExchangeOptions } from './exchange.ts';
import { createGuard } from './guard.ts';
import { getEndpoint, validateUrl, type Host, readHost, getTarget } from '../addresses/host.ts';
import { createResolve, type Resolve } from './resolve.ts';

export interface EgressRequest extends ExchangeOptions {
  /** http or https, without credentials. */
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: Buffer | string;
  /**
   * Whether the answer may be held back until there is news, as with long polling. Such a request has a connection beside
   * those of all others: it takes none from them, however many accounts poll one server.
   */
  isLongPoll?: boolean;
}

export interface Egress {
  /**
   * Opens a TCP or TLS connection to a host that a user named.
   * @throws EgressError address_not_allowed, dns_failed, connection_refused, unreachable, tls_failed, timeout, aborted, …
   */
  connect(options: ConnectOptions): Promise<net.Socket>;
  /**
   * For those who speak TLS themselves over a socket of `connect` (STARTTLS): what this server trusts. Verification is
   * theirs to leave on.
   */
  readonly tls: Readonly<tls.ConnectionOptions>;
  /** For undici and fetch: an Agent whose sockets come from the guard; keep-alive, no redirects. Bodies are not bounded. */
  dispatcher: Dispatcher;
  /** The same for requests that wait long for their response. None waits for a connection: limit their number. */
  longDispatcher: Dispatcher;
  /**
   * One HTTP exchange. A 3xx is returned unchanged. The answer is cut off at maxAnswerBytes. timeoutMs is one deadline
   * over look-up, connecting, TLS, sending, waiting and reading.
   * @throws EgressError
   */
  request(request: EgressRequest): Promise<Answer>;
  /**
   * For create and change: whether a URL may be used at all. A name that does not resolve within 2 s passes; it is checked
   * again at each connection.
   * @param pointer JSON pointer to the field
   * @throws Problem invalid_request (scheme, credentials), address_not_allowed, whose detail names the EGRESS_ALLOW line
   */
  assertUrlAllowed(url: string, pointer: string): Promise<void>;
  /**
   * The same for a host that is no part of a URL.
   * @throws Problem invalid_request where it is none, address_not_allowed
   */
  assertHostAllowed(host: string, port: number, pointer: string): Promise<void>;
  /** Origins held, HTTP connections open, requests under way: for metrics. */
  stats(): { origins: number; connections: number; requests: number };
  /** Ends every request and idle connection. Sockets that `connect` gave belong to their callers. */
  close(): Promise<void>;
}

export interface EgressOptions {
  allow: EgressAllow;
  limits?: Partial<PoolLimits>;
  /** Further certificate authorities and the like; verification can't be turned off. */
  tls?: tls.ConnectionOptions;
  resolve?: Resolve;
  openSocket?: OpenSocket;
}

const LIMITS: PoolLimits = {
  // The maximum concurrent deliveries of a process: webhooks of strangers share the host of an automation platform, and
  // hanging ones must not block the others.
  connectionsPerOrigin: 512,
  connectTimeoutMs: 10_000,
  keepAliveMs: 4000,
  keptConnections: 1000,
};
/**
 * Of requests that wait long: more than a process may hold accounts that poll, or calls of models. Each connection is used
 * again for the next poll.
 */
const LONG_LIMITS = { connectionsPerOrigin: 10_000, keptConnections: 10_000 };
const CHECK_MS = 2000;

/** A Host header would make undici ask for the certificate of that host rather than of the URL's. */
function namesHost(headers: Record<string, string>): boolean {
  for (const name in headers) if (name.length === 4 && name.toLowerCase() === 'host') return true;
  return false;
}

export function createEgress(options: EgressOptions): Egress {
  const stopped = new AbortController();
  const guard = createGuard(options.allow, options.resolve ?? createResolve());
  const connect: Connect = createConnect(guard, {
    openSocket: options.openSocket ?? openSocket,
    tls: options.tls ?? {},
    stopped: stopped.signal,
  });
  const dispatcher = createDispatcher(connect, { ...LIMITS, ...options.limits });
  const long = createDispatcher(connect, { ...LIMITS, ...options.limits, ...LONG_LIMITS });
  const deadlines = createDeadlines();

  /** @param endpoint called inside, so that its errors are reported for `pointer` */
  const assertAllowed = async (
    endpoint: () => { host: Host; port: number },
    pointer: string,
  ): Promise<void> => {
    const { promise: late, resolve: pass } = Promise.withResolvers<void>();
    const timer = setTimeout(pass, CHECK_MS);
    try {
      const { host, port } = endpoint();
      await Promise.race([guard.getAddresses(host, port), late]);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const { code, detail } = error;
      if (code === 'invalid_url') throw invalid([{ pointer, code, detail }]);
      if (code === 'address_not_allowed')
        throw new Problem('address_not_allowed', detail, { errors: [{ pointer, code, detail }] });
      // It does not resolve now; that may be a matter of time.
      if (code !== 'dns_failed') throw error;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    connect,
    tls: options.tls ?? {},
    dispatcher: dispatcher.agent,
    longDispatcher: long.agent,
    request(request) {
      return new Promise((resolve, reject) => {
        const { origin, path } = getTarget(request.url);
        const { method, headers, body, signal } = request;
        if (method === 'CONNECT' || namesHost(headers))
          throw new EgressError('invalid_request', 'A request has no method CONNECT and no Host header.');
        const exchange = new Exchange(request, deadlines, resolve, reject);
        if (signal?.aborted) exchange.fail(new EgressError('aborted', 'The call was aborted.'));
        else {
          // The deadline is ours: undici's own timers, one for each connection, are off.
          const sent = { origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 };
          // A connection rests for one turn of the loop: the poll that follows another one would open a second.
          if (request.isLongPoll) setImmediate(() => long.dispatch(sent, exchange));
          else dispatcher.dispatch(sent, exchange);
        }
      });
    },
    async assertUrlAllowed(url, pointer) {
      const fault = validateUrl(url);
      if (fault) throw invalid([{ pointer, code: 'invalid_url', detail: fault }]);
      await assertAllowed(() => getEndpoint(url), pointer);
    },
    assertHostAllowed: (host, port, pointer) =>
      assertAllowed(() => ({ host: readHost(host), port }), pointer),
    stats: () => ({
      origins: dispatcher.origins + long.origins,
      connections: dispatcher.connections + long.connections,
      requests: deadlines.size,
    }),
    async close() {
      stopped.abort();
      await Promise.all([dispatcher.destroy(), long.destroy()]);
    },
  };
}
