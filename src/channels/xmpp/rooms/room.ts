/** The interface of a room that the account is in or wants to enter. */
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
  /** The allowance of people, shared with all other rooms of the connection. */
  allowance: Allowance;
  log: Pick<Log, 'warn'>;
  /** Called when the account is no longer in the room. @param mayReturn false if a person removed it */
  onOut(room: Room, mayReturn: boolean): void;
}

export interface Entry {
  nick: string;
  password: string | null;
  /** Whether to create the room if it does not exist. Otherwise entering fails with `group_not_found`. */
  mayMake: boolean;
}

export interface Room {
  readonly address: string;
  /** `entering` until the membership is emitted. */
  readonly state: 'out' | 'entering' | 'in';
  readonly known: Readonly<KnownAbout>;
  readonly occupants: Occupants;
  readonly view: RoomView;
  /** Enters the room by presence, without emitting anything. @throws DriverError */
  enter(entry: Entry, signal?: AbortSignal): Promise<void>;
  /**
   * Requests the room's information and lists, emits them, and starts receiving.
   * @param by who brought the account in
   * @throws DriverError
   */
  settle(by: string | null, signal?: AbortSignal): Promise<void>;
  /** Requests the room's information again, and emits changes. @throws DriverError */
  refresh(signal?: AbortSignal): Promise<void>;
  leave(signal: AbortSignal): Promise<void>;
  /** Resolves with the room's ID of the message once the room has reflected it. @throws DriverError */
  post(stanza: Element, signal: AbortSignal): Promise<SendResult>;
  /** @param name null for the room itself */
  onPresence(stanza: Element, name: string | null): void;
  /** @returns whether the stanza belonged to the room */
  onMessage(stanza: Element, name: string | null): boolean;
  /** Reads a message of the room. */
  read(stanza: InboundStanza): Signal[];
  /** Emits that the account is no longer in the room, and drops the room. */
  end(membership: GroupMembership, by: string | null): Promise<void>;
  stop(): void;
}
