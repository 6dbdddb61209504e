/**
 * Receives messages outside rooms, in order: first the archive entries after the last emitted one, then live messages.
 * A delivery receipt (XEP-0184) is sent once the message is stored.
 *
 * Invariants: one message is emitted at a time; the position moves with it and names an archive entry, so that all
 * missed messages follow it. Live messages beyond the buffer are dropped if there is an archive, and fetched from it;
 * without an archive, reading from the server pauses.
 */
import type { Element } from '@xmpp/xml';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Signal } from '../contract/signal.ts';
import { readBare } from './wire/address.ts';
import type { Archive, ArchivedStanza } from './session/archive.ts';
import { createCatchUp, moveTo } from './catch-up.ts';
import { belongsInArchive, isKept, likeness, type LiveStanza, readLive } from './live-stanza.ts';
import { lost } from './wire/errors.ts';
import { getAttribute, getChild, idIn } from './stanza/elements.ts';
import { NS } from './stanza/namespaces.ts';
import { wantsReceipt } from './stanza/read-change.ts';
import { readMessage } from './stanza/read-message.ts';
import type { About } from './stanza/spoken.ts';
import { type KeptStanza, readOrKeep } from './stanza/unread.ts';
import { writeReceipt } from './stanza/write-change.ts';
import type { StanzaHandler, XmppStream } from './session/stream.ts';
import type { Telling } from './session/telling.ts';

export interface InboundDeps {
  stream: XmppStream;
  telling: Telling;
  context: Pick<DriverContext, 'log'>;
  /** The account's own archive; null if its server keeps none. */
  archive: Archive | null;
  /** Whether the account is in a room with this bare address. */
  isRoom?: (bare: string) => boolean;
  /** Whether messages sent by the account's other devices also arrive live (XEP-0280). Defaults to true. */
  hasCopies?: () => boolean;
  /** The waits before each further attempt to read the archive. */
  retryMs?: readonly number[];
  /**
   * Takes invitations (XEP-0045, XEP-0249), live or from the archive, in order. The position moves past them, so that
   * an old invitation never brings the account back into a room that it has left since.
   */
  onInvitation?: StanzaHandler;
  /** Missed messages can't be fetched, so the connection is useless. Not called after `stop`. */
  onFault: (error: unknown) => void;
}

export interface InboundStream {
  /** Takes messages of people and of the account's other devices. Messages of rooms are left to other handlers. */
  handle: StanzaHandler;
  /** Emits all missed messages; live ones wait for it. @throws DriverError */
  catchUp(): Promise<void>;
  /** Reads a stanza that was kept as unprocessed. */
  readAgain(kept: KeptStanza): Signal[];
  /** Stops emitting signals and sending receipts. */
  stop(): void;
}

const MAX_AT_ONCE = 50;
/** Maximum waiting messages if the rest can be fetched from an archive. */
const MAX_WAITING = 300;
const RETRY_MS = [1000, 5000, 15_000];
/** Conditions that mean that the account has no archive or may not read it. */
const FOR_GOOD = new Set([
  'feature_not_implemented',
  'forbidden',
  'item_not_found',
  'not_allowed',
  'service_unavailable',
]);
/**
 * Number of consecutive messages missing from the archive after which it counts as keeping none, whatever it announces.
 */
const MAX_MISSING = 3;

interface Waiting extends LiveStanza {
  release: () => void;
}

export function createInbound(deps: InboundDeps): InboundStream {
  const { stream, telling, context, isRoom, onInvitation, onFault, retryMs = RETRY_MS } = deps;
  const hasCopies = deps.hasCopies ?? (() => true);
  const { account } = stream;
  let { archive } = deps;
  let waiting: Waiting[] = [];
  /** Whether the archive may have entries that were neither emitted nor are waiting. */
  let isBehind = archive !== null;
  let isOn = false;
  let isStopped = false;
  let missing = 0;
  const toldUntil = telling.position.archiveAt ?? '';
  /** Entries that were emitted as live messages; they are not emitted under another name. */
  let toldAsLive: ReadonlySet<string> = new Set();
  const stopping = Promise.withResolvers<void>();
  let running: Promise<void> | null = null;

  const toSignals = (stanza: Element, about: Omit<About, 'account' | 'isRoom'>): Signal[] =>
    readOrKeep({ stanza, stanzaId: about.stanzaId, at: about.at, room: null }, () =>
      readMessage(stanza, { ...about, account, isRoom }),
    );
  /** Sends the delivery receipts that senders of stored messages requested. */
  const acknowledge = (stanza: Element, signals: readonly Signal[]): void => {
    const isTheirs = signals.some((signal) => signal.kind === 'message' && !signal.fromMe);
    const [from, id] = [getAttribute(stanza, 'from'), idIn(stanza)];
    if (isStopped || !isTheirs || from === null || id === null || !wantsReceipt(stanza)) return;
    // A lost connection is reported elsewhere; the archive then returns the message again, and its receipt is sent.
    stream.send(writeReceipt(from, id)).catch(() => undefined);
  };

  /** Whether another person sent it: the archive also has the account's own invitations to others. */
  const isInvitation = (stanza: Element): boolean =>
    ![null, account].includes(readBare(getAttribute(stanza, 'from'))) &&
    (getChild(stanza, 'x', NS.conference) !== null ||
      getChild(stanza, 'x', NS.mucUser)?.getChild('invite') !== undefined);
  const take = (
    stanza: Element,
    about: Omit<About, 'account' | 'isRoom'>,
  ): { isTaken: boolean; signals: Signal[] } => {
    const isTaken = (isInvitation(stanza) && onInvitation?.(stanza)) ?? false;
    return { isTaken, signals: isTaken ? [] : toSignals(stanza, about) };
  };

  const tellPage = async (entries: readonly ArchivedStanza[]): Promise<void> => {
    const { isToldLive = false } = telling.position;
    // The engine knows messages that were emitted live by their content, not by the archive's name.
    const isAsLive = ({ at }: ArchivedStanza): boolean => isToldLive && at.toISOString() >= toldUntil;
    const read = entries.map((entry) => ({
      stanza: entry.stanza,
      signals: take(entry.stanza, {
        stanzaId: isAsLive(entry) ? null : entry.id,
        at: entry.at,
        isArchived: true,
      }).signals,
    }));
    if (isToldLive) toldAsLive = new Set(entries.filter(isAsLive).map(({ id }) => id));
    await telling.emit(
      read.flatMap(({ signals }) => signals),
      moveTo(entries.at(-1)!),
    );
    for (const { stanza, signals } of read) acknowledge(stanza, signals);
  };

  const catchUpFrom = async (from: Archive, seen?: (alike: ReadonlySet<string>) => void): Promise<void> => {
    const read = createCatchUp({
      archive: from,
      telling,
      log: context.log,
      waiting: () => waiting.flatMap(({ stanzaId }) => stanzaId ?? []),
      async tellPage(entries) {
        await tellPage(entries);
        const names = new Set(entries.map(({ id }) => id));
        const alike = new Set(entries.map(({ stanza }) => likeness(stanza)));
        waiting = waiting.filter((one) =>
          one.stanzaId === null ? !alike.has(likeness(one.stanza)) : !names.has(one.stanzaId),
        );
        seen?.(alike);
      },
      isStopped: () => isStopped,
    });
    for (let nth = 0; !isStopped; nth++)
      try {
        await read();
        if (telling.position.isToldLive)
          await telling.emit([], (position) => void (position.isToldLive = false));
        return;
      } catch (error) {
        if (!(error instanceof DriverError) || (error.kind !== 'rejected' && error.kind !== 'busy'))
          throw error;
        context.log.warn({ code: error.code }, "The account's archive could not be read");
        if (error.kind === 'rejected' && FOR_GOOD.has(error.code)) return goWithout();
        // Live messages alone would skip the missed ones, so the connection fails and the engine reconnects with
        // increasing waits.
        if (retryMs[nth] === undefined) throw lost(error.code, error.message, error);
        await waitFor(retryMs[nth]!);
      }
  };
  const waitFor = async (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([promise, stopping.promise]);
    clearTimeout(timer);
  };
  /** Keeps the position, so that everything after it is requested once there is an archive again. */
  const goWithout = async (): Promise<void> => {
    archive = null;
    for (const one of waiting) one.stanzaId = null;
    if (telling.position.archive !== null && !telling.position.isToldLive)
      await telling.emit([], (position) => void (position.isToldLive = true));
  };

  const tellLive = async (given: readonly Waiting[]): Promise<void> => {
    const batch = given.filter(({ stanzaId }) => stanzaId === null || !toldAsLive.has(stanzaId));
    if (!batch.length) return;
    const read = batch.map((one) => ({ ...one, ...take(one.stanza, one) }));
    const last = read.findLast(({ stanzaId }) => stanzaId !== null);
    // Without copies, earlier messages from other devices are only in the archive, so the position must not pass them.
    const move = last && archive && hasCopies() ? moveTo({ id: last.stanzaId!, at: last.at }) : undefined;
    const signals = read.flatMap((one) => one.signals);
    // A batch without signals does not store the position; it is read again later.
    if (signals.length || (move && read.some(({ isTaken }) => isTaken))) await telling.emit(signals, move);
    for (const one of read) {
      one.release();
      if (!one.isCopy) acknowledge(one.stanza, one.signals);
    }
  };

  /**
   * Emits a message that should be archived but arrived without the archive's name: as the archive has it, if it does.
   */
  const tellUnnamed = async (one: Waiting, from: Archive): Promise<void> => {
    let isFound = false;
    await catchUpFrom(from, (alike) => {
      isFound ||= alike.has(likeness(one.stanza));
    });
    missing = isFound ? 0 : missing + 1;
    if (!isFound) await tellLive([one]);
  };

  const tellNext = async (): Promise<void> => {
    const mustAsk = (one: Waiting): boolean => missing < MAX_MISSING && belongsInArchive(one);
    const upTo = archive ? waiting.findIndex(mustAsk) : -1;
    const count = Math.min(upTo === -1 ? waiting.length : upTo, MAX_AT_ONCE);
    if (count > 0) return tellLive(waiting.splice(0, count));
    const [one] = waiting.splice(0, 1);
    if (one) await tellUnnamed(one, archive!);
  };

  const run = async (): Promise<void> => {
    while (!isStopped && (isBehind || waiting.length > 0)) {
      const source = isBehind ? archive : null;
      isBehind = false;
      if (source) await catchUpFrom(source);
      else await tellNext();
    }
  };
  const wake = (): Promise<void> => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    handle(stanza) {
      const live = readLive(stanza, stream);
      if (!live) return false;
      if (isStopped) return true;
      if (archive && waiting.length >= MAX_WAITING) {
        waiting = [];
        isBehind = true;
      }
      const release = archive ? () => undefined : stream.hold();
      // A server without an archive doesn't remove names that strangers forge.
      const stanzaId = archive && live.stanzaId;
      waiting.push({ ...live, stanzaId, release });
      if (archive && !hasCopies() && isKept(live.stanza)) isBehind = true;
      if (isOn && running === null)
        wake().catch((error: unknown) => {
          if (!isStopped) onFault(error);
        });
      return true;
    },
    async catchUp() {
      isOn = true;
      if (!archive) await goWithout();
      await wake();
    },
    readAgain: ({ stanza, stanzaId, at }) => toSignals(stanza, { stanzaId, at, isArchived: true }),
    stop() {
      isStopped = true;
      stopping.resolve();
      waiting = [];
    },
  };
}
