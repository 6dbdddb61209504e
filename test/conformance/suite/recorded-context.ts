/** A `DriverContext` whose durable side is in memory: what was stored, what was not, and what the driver told besides. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type DriverContext, type PairingStep } from '../../../src/channels/contract/driver.ts';
import { DriverError } from '../../../src/channels/contract/driver-error.ts';
import { type Json } from '../../../src/channels/contract/json.ts';
import type { ReceivedFile } from '../../../src/channels/contract/connection.ts';
import { type InboundMessage, type Signal } from '../../../src/channels/contract/signal.ts';
import type { Harness, TestAccount } from './harness.ts';

/** What is kept from one connection of an account to the next. */
export interface Store {
  /** All that was stored, doubles too. */
  signals: Signal[];
  position: Json;
  credentials: Json;
}

export interface RecordedContext extends DriverContext {
  store: Store;
  /** Told, but not stored, because the process "died" before it was. */
  dropped: Signal[];
  steps: (PairingStep | null)[];
  endings: DriverError[];
  /** From now on nothing is stored any more, as after a crash. */
  crash(): void;
  /** Gives `open` up. */
  abort(): void;
  messages(): InboundMessage[];
}

export const newStore = (account: TestAccount): Store => ({
  signals: [],
  position: null,
  credentials: account.credentials,
});

export const toMessages = (signals: Signal[]): InboundMessage[] =>
  signals.filter((signal) => signal.kind === 'message');

export function recordedContext(
  { egress }: Pick<Harness, 'egress'>,
  account: TestAccount,
  store: Store,
): RecordedContext {
  const giveUp = new AbortController();
  let isCrashed = false;
  const context: RecordedContext = {
    ...account,
    credentials: store.credentials,
    position: store.position,
    egress,
    ingressUrl: null,
    log: { debug: () => undefined, warn: () => undefined },
    signal: giveUp.signal,
    store,
    dropped: [],
    steps: [],
    endings: [],
    crash: () => void (isCrashed = true),
    abort: () => giveUp.abort(),
    messages: () => toMessages(store.signals),
    async emit(signals, position) {
      if (isCrashed) {
        context.dropped.push(...signals);
        throw new DriverError('lost', 'not_holder', 'The connection is held elsewhere by now.');
      }
      store.signals.push(...signals);
      if (position !== undefined) store.position = position;
    },
    receiveFile: (source) => readFile(source),
    pairing: (step) => void context.steps.push(step),
    async saveCredentials(credentials) {
      store.credentials = credentials;
    },
    ended: (reason) => void context.endings.push(reason),
  };
  return context;
}

async function readFile(source: Readable): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of source) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { size, sha256: hash.digest('hex') };
}
