/** One room that the account is in or wants to be in, as the other parts see it. */
import type { Element } from '@xmpp/xml';
import type { Log } from '../../../platform/logging/log.ts';
import type { SendResult } from '../../contract/connection.ts';
import type { GroupMembership, Signal } from '../../contract/signal.ts';
import type { XmppStream } from '../session/stream.ts';
import type { Telling } from '../session/telling.ts';
import type { Allowance, Occupants } from './occupants.ts';
import type { KnownAbout } from './room-about.ts';
import type { InboundStanza } from './room-inbound.ts';
import type { RoomView } from '../stanza/room-view.ts';

export interface RoomDeps {
  stream: XmppStream;
  telling: Telling;
  /** Of people, shared with all other rooms of the connection. */
  allowance: Allowance;
  log: Pick<Log, 'warn'>;
  /** The account is out of it. @param mayReturn nobody told it to go */
  onOut(room: Room, mayReturn: boolean): void;
}

export interface Entry {
  nick: string;
  password: string | null;
  /** Where there is no such room, it makes one. Else `group_not_found`. */
  mayMake: boolean;
}

export interface Room {
  readonly address: string;
  /** `entering` until the membership is emitted. */
  readonly state: 'out' | 'entering' | 'in';
  readonly known: Readonly<KnownAbout>;
  readonly occupants: Occupants;
  readonly view: RoomView;
  /** By presence alone. @throws DriverError */
  enter(entry: Entry, signal?: AbortSignal): Promise<void>;
  /** Asks what it is and who is in it, tells that, and hears from then on. @param by who brought the account in. @throws DriverError */
  settle(by: string | null, signal?: AbortSignal): Promise<void>;
  /** Asks anew what it is; tells what changed. @throws DriverError */
  refresh(signal?: AbortSignal): Promise<void>;
  leave(signal: AbortSignal): Promise<void>;
  /** Resolves with what the room calls it, once it has shown it to all. @throws DriverError */
  post(stanza: Element, signal: AbortSignal): Promise<SendResult>;
  /** @param name null for the room's own */
  onPresence(stanza: Element, name: string | null): void;
  /** @returns whether it was the room's */
  onMessage(stanza: Element, name: string | null): boolean;
  /** Reads a message of the room. */
  read(stanza: InboundStanza): Signal[];
  /** The account is no longer in the room: emits this and drops the room. */
  end(membership: GroupMembership, by: string | null): Promise<void>;
  stop(): void;
}
