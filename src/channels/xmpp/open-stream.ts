/**
 * Opens the account's stream and tracks requests, responses, and acknowledgements in both directions. Invariant: the
 * stream ends once and then settles every pending call: as lost if the stanza was never written, else as unknown.
 */
import xml, { type Element } from '@xmpp/xml';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { createIqClient } from './iq-client.ts';
import { abandoned, lost, toNetworkError, refused, unknown } from './wire/errors.ts';
import type { XmppSettings } from './wire/settings.ts';
import { MAX_HELD, type StanzaHandler, type XmppStream } from './session/stream.ts';
import { NS } from './wire/namespaces.ts';
import { negotiate, type Negotiated } from './wire/negotiate.ts';
import { findTargets, type ResolveSrv } from './wire/targets.ts';
import { nameOfDomain, Wire } from './wire/wire.ts';

const CONNECT_MS = 10_000;
const OPEN_MS = 40_000;
/** Most servers end the whole stream over a stanza of more than 256 KiB. */
const MAX_BYTES = 250_000;
/** Maximum features of one entity. Strangers can choose them, and they are kept as long as the connection. */
const MAX_FEATURES = 500;
const featureIn = ({ attrs }: Element): string => String(attrs['var']).slice(0, 255);
/** Unsent bytes above which responses are dropped. */
const MAX_UNSENT = 65_536;

export interface OpenStream extends XmppStream {
  /** Closes the stream. Never rejects, and no events follow. */
  close(): Promise<void>;
}

export interface StreamDeps {
  context: Pick<DriverContext, 'egress' | 'signal' | 'instanceId' | 'log'>;
  settings: XmppSettings;
  password: string;
  /** Called once when the stream ends, but not after `close`. */
  onEnd: (fault: DriverError) => void;
  resolveSrv?: ResolveSrv;
}

/** @throws DriverError, and leaves nothing open */
export async function openStream(deps: StreamDeps): Promise<OpenStream> {
  const signal = AbortSignal.any([deps.context.signal, AbortSignal.timeout(OPEN_MS)]);
  let wire: Wire | null = null;
  const onAbort = (): void => wire?.end(abandoned());
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    wire = await connect(deps, signal);
    const { settings, password, context } = deps;
    const negotiated = await negotiate(wire, {
      settings,
      password,
      resource: getResource(context.instanceId),
      tls: context.egress.tls,
      signal,
    });
    return createStream(wire, negotiated, deps);
  } catch (error) {
    const fault = deps.context.signal.aborted
      ? abandoned()
      : signal.aborted
        ? lost('timeout', 'The XMPP server took too long to complete sign-in.')
        : toNetworkError(error);
    wire?.end(fault);
    throw fault;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Returns the same resource for each connection of an instance, and a different one for each instance of an account.
 */
const getResource = (instanceId: string): string => `fairlead-${instanceId.slice(-12)}`;

/**
 * Connects to the first reachable address of the server. If none is reachable, a rejection by the egress guard is
 * reported.
 */
async function connect({ context, settings, resolveSrv }: StreamDeps, signal: AbortSignal): Promise<Wire> {
  const { egress } = context;
  const servername = nameOfDomain(settings.domain);
  const tls = settings.security === 'tls' ? { servername, ALPNProtocols: ['xmpp-client'] } : undefined;
  let fault: unknown = refused('no_server', 'The server of the address was not found.');
  for (const { host, port } of await findTargets(settings, resolveSrv)) {
    signal.throwIfAborted();
    try {
      return new Wire(await egress.connect({ host, port, tls, signal, timeoutMs: CONNECT_MS }));
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

function createStream(
  wire: Wire,
  { fullJid, acknowledges }: Negotiated,
  { settings, context, onEnd }: StreamDeps,
): OpenStream {
  const { jid: account, domain } = settings;
  const handlers = new Set<StanzaHandler>();
  const featuresByHost = new Map<string, Promise<ReadonlySet<string>>>();
  let isOver: DriverError | null = null;

  // XEP-0198 stanza counters. The server's wrap at 2^32; ours never get there.
  let sent = 0;
  let acknowledged = 0;
  const waiting: { number: number; done: PromiseWithResolvers<void> }[] = [];
  let received = 0;
  const held = new Set<number>();
  let isPaused = false;

  const write = async (stanza: Element): Promise<number> => {
    if (isOver) throw isOver;
    const text = stanza.toString();
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new DriverError('rejected', 'too_large', 'The stanza is too large for an XMPP server.');
    const number = ++sent;
    await wire.write(text);
    return number;
  };
  const asking = createIqClient({
    account,
    domain,
    fullJid,
    write: async (stanza) => void (await write(stanza)),
  });

  const onAcknowledged = (given: unknown): void => {
    const h = Number(given);
    if (!Number.isInteger(h) || h < 0 || h > 0xff_ff_ff_ff) return;
    const moved = (h - acknowledged) >>> 0;
    // The server acknowledges more than was sent, so its count is ignored.
    if (moved > sent - acknowledged) return;
    acknowledged += moved;
    while (waiting.length > 0 && waiting[0]!.number <= acknowledged) waiting.shift()!.done.resolve();
  };
  const pace = (): void => {
    if (isPaused === held.size >= MAX_HELD) return;
    isPaused = !isPaused;
    if (isPaused) wire.pause();
    else wire.resume();
  };
  const handled = (): number => {
    const [oldest] = held;
    return oldest === undefined ? received : oldest - 1;
  };
  const post = (element: Element): void => {
    if (wire.unsent < MAX_UNSENT) wire.write(element.toString()).catch(() => undefined); // reported as the end of the stream
  };

  const onStanza = (stanza: Element): void => {
    if (stanza.getNS() !== NS.client) return;
    const [name, type] = [stanza.getName(), stanza.attrs['type'] as unknown];
    if (name === 'iq' && (type === 'result' || type === 'error')) return asking.onAnswer(stanza);
    for (const handler of handlers) if (handler(stanza)) return;
    if (name === 'iq' && (type === 'get' || type === 'set')) refuse(stanza);
  };
  const answer = (question: Element, type: 'result' | 'error', payload: Element | null): void => {
    const { id, from } = question.attrs as { id?: string; from?: string };
    if (wire.unsent >= MAX_UNSENT || isOver) return;
    write(xml('iq', { type, id, to: from }, ...(payload ? [payload] : []))).catch(() => undefined);
  };
  const refuse = (question: Element): void => {
    const condition = xml('service-unavailable', { xmlns: NS.stanzas });
    answer(question, 'error', xml('error', { type: 'cancel' }, condition));
  };
  const onElement = (element: Element): void => {
    if (isOver) return;
    if (element.getNS() === NS.sm) {
      if (element.getName() === 'a') onAcknowledged(element.attrs['h']);
      else if (element.getName() === 'r') post(xml('a', { xmlns: NS.sm, h: String(handled() % 2 ** 32) }));
      return;
    }
    if (!['message', 'presence', 'iq'].includes(element.getName())) return;
    received += 1;
    try {
      onStanza(element);
    } catch (error) {
      // A handler that fails on a stanza must not end the process, and the stanza must not be skipped silently.
      context.log.warn({ error: String(error) }, 'A stanza could not be read');
      wire.end(lost('program_fault', 'The server sent data that could not be parsed.', error));
    }
  };
  const end = (fault: DriverError): void => {
    isOver ??= fault;
    for (const { done } of waiting.splice(0))
      done.reject(unknown('The connection ended before the server acknowledged it.', fault));
    asking.end(fault);
    handlers.clear();
  };
  wire.listen(onElement, (fault) => {
    const isFirst = isOver === null;
    end(fault);
    if (isFirst) onEnd(fault);
  });

  const ask: XmppStream['ask'] = (question, signal) => asking.ask(question, signal);
  const ping = async (signal: AbortSignal, to = domain): Promise<void> => {
    try {
      await ask({ to, type: 'get', payload: xml('ping', { xmlns: NS.ping }) }, signal);
    } catch (error) {
      // A server that does not know the request has responded, too.
      const isAnswer = error instanceof DriverError && ['rejected', 'busy'].includes(error.kind);
      if (isAnswer) return;
      // A ping changes nothing, so its outcome is never unknown.
      throw error instanceof DriverError && error.kind === 'unknown'
        ? lost(error.code, error.message)
        : error;
    }
  };

  return {
    account,
    fullJid,
    domain,
    acknowledges,
    onStanza(handler) {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    hold() {
      const number = received;
      held.add(number);
      pace();
      return () => {
        if (held.delete(number)) pace();
      };
    },
    async send(stanza) {
      await write(stanza);
    },
    reply: (question, payload) => answer(question, 'result', payload),
    async sendAcknowledged(stanza, signal) {
      if (signal.aborted) throw abandoned();
      if (!acknowledges) {
        await write(stanza);
        return ping(signal).catch((error: unknown) => {
          throw unknown('The server did not acknowledge it.', error);
        });
      }
      const written = write(stanza);
      const done = Promise.withResolvers<void>();
      const place = { number: sent, done };
      done.promise.catch(() => undefined); // if writing fails first
      const onAbort = (): void => done.reject(unknown('The server did not acknowledge it in time.'));
      waiting.push(place);
      signal.addEventListener('abort', onAbort);
      try {
        await written;
        await wire.write(xml('r', { xmlns: NS.sm }).toString()).catch((error: unknown) => {
          throw unknown('The connection broke behind it.', error);
        });
        await done.promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        const at = waiting.indexOf(place);
        if (at !== -1) waiting.splice(at, 1);
      }
    },
    ask,
    features(of) {
      const known = featuresByHost.get(of);
      if (known) return known;
      const asked = ask({ to: of, type: 'get', payload: xml('query', { xmlns: NS.discoInfo }) }).then(
        (info) => new Set(info?.getChildren('feature').slice(0, MAX_FEATURES).map(featureIn) ?? []),
      );
      // Failed lookups are not cached, and the cache is bounded.
      asked.catch(() => featuresByHost.delete(of));
      if (featuresByHost.size >= 1000) featuresByHost.clear();
      featuresByHost.set(of, asked);
      return asked;
    },
    ping,
    async close() {
      end(lost('closed', 'The connection is closed.'));
      if (isPaused) wire.resume();
      await wire.close();
    },
  };
}
