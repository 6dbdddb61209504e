/**
 * What a driver's tests bring along for the conformance suite: a real server, accounts on it, and somebody at the other end
 * who uses none of the driver's code. What a server can't do is left out; the suite says then what it did not check.
 */
import type { Egress } from '../../../src/platform/egress/egress.ts';
import type { MessageType } from '../../../src/channels/contract/capabilities.ts';
import type { ChatRef } from '../../../src/channels/contract/connection.ts';
import type { Driver } from '../../../src/channels/contract/driver.ts';
import type { Json } from '../../../src/channels/contract/json.ts';
import type { PeerGroups } from './group-harness.ts';

/** An account as an instance has it. */
export interface TestAccount {
  workspaceId: string;
  instanceId: string;
  name: string;
  settings: Json;
  credentials: Json;
  /** Normalized. */
  address: string;
}

/** What the other end saw, or what it does. */
export type Sight =
  | {
      kind: 'message';
      /** What the channel calls it. */
      externalId: string;
      type: MessageType;
      text: string | null;
      /** Where the channel has subjects. */
      subject?: string | null;
      /** Where chats have threads. */
      threadId?: string | null;
      /** SHA-256 of its file, hexadecimal. */
      file: string | null;
      data: Json;
      /** Of the message that it answers. */
      replyTo: string | null;
      mentions: string[];
      /** In a group: who wrote it. */
      from?: string;
    }
  | { kind: 'edited'; externalId: string; text: string }
  | { kind: 'revoked'; externalId: string }
  | { kind: 'reacted'; externalId: string; emoji: string | null }
  | { kind: 'pinned'; externalId: string; isPinned: boolean }
  | { kind: 'receipt'; externalId: string; status: 'delivered' | 'read' }
  | { kind: 'typing'; isTyping: boolean };

export interface PeerMessage {
  type: MessageType;
  text: string | null;
  file: { bytes: Buffer; fileName: string; mimeType: string } | null;
  data: Json;
  replyTo: string | null;
  mentions?: readonly string[];
  threadId?: string;
}

export interface Peer {
  address: string;
  /** The chat that an account has with it. */
  chat: ChatRef;
  /** Everything that it saw so far, in order. */
  seen(): Promise<Sight[]>;
  /** Types that it can send. */
  sends: readonly MessageType[];
  /** @returns the ID under which the account is to hear of it */
  send(to: TestAccount, message: PeerMessage): Promise<string>;
  edit?(to: TestAccount, externalId: string, text: string): Promise<void>;
  revoke?(to: TestAccount, externalId: string): Promise<void>;
  /** To a message of the account's. */
  react?(to: TestAccount, externalId: string, emoji: string): Promise<void>;
  /** A message of the account's, in the chat of both. */
  pin?(to: TestAccount, externalId: string): Promise<void>;
  markDelivered?(to: TestAccount, externalId: string): Promise<void>;
  markRead?(to: TestAccount, externalId: string): Promise<void>;
  comeOnline?(to: TestAccount): Promise<void>;
  setTyping?(to: TestAccount): Promise<void>;
  /** Sends a text under an ID that it chooses, where the channel lets writers do so: another message may have the same. */
  sendUnder?(to: TestAccount, externalId: string, text: string): Promise<void>;
  /** Where it can be in groups. */
  groups?: PeerGroups;
}

export interface Harness {
  driver: Driver;
  egress: Egress;
  /** A fresh account at each call. */
  makeAccount(): Promise<TestAccount>;
  /** Somebody else on the same server, at each call. */
  makePeer(): Promise<Peer>;
  /** The same account with credentials that the server refuses. */
  refused(account: TestAccount): TestAccount;
  /** An account whose `open` takes for ever. */
  makeSlowAccount(): Promise<TestAccount>;
  /** An account that is paired at its first `open`, within seconds and by itself. */
  makePairingAccount?(): Promise<TestAccount>;
  /** Where nobody is, as the server says at once. */
  unknownAddress?: string;
  /** Who can't be added to a group, as the server says at once. */
  unknownMember?: string;
  /** Such an address as groups have, but of none. */
  unknownGroup?: string;
  /** What only channels have that keep a connection; null for one of single requests. */
  keptConnection: {
    /** Ends the account's connections as a broken network does. */
    cut(account: TestAccount): Promise<void>;
    /** From now on the account's connection is up, but hears nothing. */
    deafen(account: TestAccount): Promise<void>;
  } | null;
  server?: { stop(): Promise<void>; start(): Promise<void> };
  /** Returns the programs at the other end with their versions. Absent where the channel needs none. */
  versions?(): Promise<Record<string, string>>;
  /** The account's owner writes to the peer by other means than the driver. */
  writeElsewhere?(account: TestAccount, peer: Peer, text: string): Promise<void>;
  /** The account's owner writes to a group by other means than the driver. */
  writeToGroupElsewhere?(account: TestAccount, group: ChatRef, text: string): Promise<void>;
  /** Whether an invitation lets people into a group of members only; else invitations are tried with open ones. */
  invitesIntoClosed?: boolean;
  /** Types that come to the other end as another, for the channel has no name for them: a voice message as audio. */
  shownAs?: Partial<Record<MessageType, MessageType>>;
  /** False if the channel ends typing indicators automatically. Default: true. */
  stopsTyping?: boolean;
  /** Spellings of one address. */
  sameAddresses: readonly (readonly [string, string])[];
  /** Such as no address can be. */
  badAddresses: readonly string[];
  /** How long the channel may take for anything. Milliseconds. */
  patience: number;
}
