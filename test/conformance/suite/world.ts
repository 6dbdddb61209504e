/** What the cases share: accounts, connections that end with the run, and waiting for what the other end sees. */
import { vi } from 'vitest';
import type {
  Capabilities,
  ChannelOperation,
  MessageType,
} from '../../../src/channels/contract/capabilities.ts';
import type {
  Connection,
  SendResult,
  OutboundMessage,
  ReceivedFile,
} from '../../../src/channels/contract/connection.ts';
import type { InboundMessage, Signal } from '../../../src/channels/contract/signal.ts';
import type { Harness, Peer, Sight, TestAccount } from './harness.ts';
import { newStore, type RecordedContext, recordedContext, type Store } from './recorded-context.ts';
import type { Proofs } from './results.ts';
import { sha256 } from './samples.ts';

export interface Opened {
  account: TestAccount;
  context: RecordedContext;
  connection: Connection;
  /** As the engine calls it, with the time-out that the driver asks for. */
  send(message: OutboundMessage): Promise<SendResult>;
}

export interface World {
  harness: Harness;
  capabilities: Capabilities;
  claims(capability: ChannelOperation): boolean;
  proves: Proofs['proves'];
  /** Opens a connection, of a fresh account by default. */
  open(account?: TestAccount, store?: Store): Promise<Opened>;
  /** A connection and somebody at the other end. */
  pair(): Promise<Opened & { peer: Peer }>;
  /** Waits for the condition, as long as the channel may take. */
  eventually<T>(check: () => T | Promise<T>): Promise<T>;
  /** What somebody at the other end sees of a file that was told: it was stored, or is to be fetched. */
  fileTold(file: InboundMessage['file']): Promise<ReceivedFile>;
  /** Waits until the other end has seen such a thing. */
  seenBy<K extends Sight['kind']>(
    peer: Peer,
    kind: K,
    matches?: (sight: Extract<Sight, { kind: K }>) => boolean,
  ): Promise<Extract<Sight, { kind: K }>>;
  /** Waits until the account was told of such a thing, and it was stored. */
  told<K extends Signal['kind']>(
    opened: Opened,
    kind: K,
    matches?: (signal: Extract<Signal, { kind: K }>) => boolean,
  ): Promise<Extract<Signal, { kind: K }>>;
  closeAll(): Promise<void>;
}

export const never = (): AbortSignal => new AbortController().signal;
const getTypes = (capabilities: Capabilities): MessageType[] =>
  Object.keys(capabilities.types) as MessageType[];
/** Without reactions, which are no messages at any channel: they are asked for by `react`. */
export const getMessageTypes = (capabilities: Capabilities): MessageType[] =>
  getTypes(capabilities).filter((type) => type !== 'reaction');

/** Of those that the suite has sent. */
const MAX_FILE = 10_000_000;

export function createWorld(harness: Harness, { proves }: Proofs): World {
  const { driver, patience } = harness;
  const connections: Connection[] = [];
  const capabilities = driver.capabilities({});
  const world: World = {
    harness,
    capabilities,
    proves,
    claims: (capability) => capabilities.operations.includes(capability),
    async open(given, store) {
      const account = given ?? (await harness.makeAccount());
      const context = recordedContext(harness, account, store ?? newStore(account));
      const connection = await driver.open(context);
      connections.push(connection);
      return {
        account,
        context,
        connection,
        send: (message) => connection.send(message, AbortSignal.timeout(driver.ackTimeoutMs)),
      };
    },
    async pair() {
      const peer = await harness.makePeer();
      return { ...(await world.open()), peer };
    },
    async fileTold(file) {
      if (!file) throw new Error('no file was told');
      if ('received' in file) return file.received;
      const { body, status } = await harness.egress.request({
        url: file.url,
        method: 'GET',
        headers: {},
        timeoutMs: patience,
        maxAnswerBytes: MAX_FILE,
      });
      if (status !== 200) throw new Error(`${file.url} answered ${status}`);
      return { size: body.length, sha256: sha256(body) };
    },
    eventually: (check) => vi.waitFor(check, { timeout: patience, interval: 30 }),
    seenBy: (peer, kind, matches = () => true) =>
      world.eventually(async () => {
        const sights = await peer.seen();
        const found = sights.find((sight) => sight.kind === kind && matches(sight as never));
        if (!found) throw new Error(`${peer.address} has seen no such ${kind}: ${JSON.stringify(sights)}`);
        return found as never;
      }),
    told: (opened, kind, matches = () => true) =>
      world.eventually(() => {
        const { signals } = opened.context.store;
        const found = signals.find((signal) => signal.kind === kind && matches(signal as never));
        if (!found)
          throw new Error(`${opened.account.address} was told no such ${kind}: ${JSON.stringify(signals)}`);
        return found as never;
      }),
    async closeAll() {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
  return world;
}
