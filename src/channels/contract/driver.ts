/**
 * The contract between Fairlead and a channel. A driver implements the protocol of one channel. It has no access to the
 * database, the HTTP API or other state of Fairlead. Data is durable before it is acknowledged: `send` is only called
 * for stored messages, and a driver awaits `emit` before it acknowledges anything to the channel.
 *
 * docs/channel-drivers.md explains how to write a driver. Every driver must pass `test/conformance/`.
 */
import type { Readable } from 'node:stream';
import type { TObject } from 'typebox';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { Capabilities, MessageType, Resend } from './capabilities.ts';
import type { Connection, ReceivedFile } from './connection.ts';
import type { DriverError } from './driver-error.ts';
import type { ChannelIngress } from './ingress.ts';
import type { Json } from './json.ts';
import type { Signal } from './signal.ts';

/**
 * Why the channel would reject content. `pointer` is a JSON pointer into the message: `/interactive/choices/0/title`.
 */
export interface ContentFault {
  pointer: string;
  /** The error code that the message would fail with. */
  code: string;
  detail: string;
}

export interface Driver {
  /** Name of the channel in the API: `email`. */
  readonly channel: string;
  readonly title: string;
  /** One sentence, shown in the console. */
  readonly description: string;
  /** Strict TypeBox objects, from which the console builds its forms. Secret fields have `format: 'password'`. */
  readonly credentials: TObject;
  readonly settings: TObject;
  /**
   * JSON pointers into `settings` (`/imap/host`) that require the credentials again when changed. Otherwise a user
   * could redirect stored credentials to another server.
   */
  readonly hostSettings: readonly string[];
  readonly resend: Resend;
  /** Milliseconds after which `send` times out and the outcome is resolved according to `resend`. */
  readonly ackTimeoutMs: number;
  /** Whether accounts are connected by pairing (QR code or code) rather than by credentials alone. */
  readonly pairs: boolean;
  capabilities(settings: Json): Capabilities;
  /** Returns the account's own normalized address; null if it is only known once connected. */
  ownAddress(input: { name: string; settings: Json; credentials: Json }): string | null;
  /**
   * Returns the canonical form of an address, the same for all its spellings. Makes no network request.
   * @throws InvalidAddressError if the channel can have no such address
   */
  normalizeAddress(address: string, settings: Json): string;
  /** With `thread_ids`: whether the ID is a well-formed thread ID. Makes no network request. */
  isThreadId?(id: string): boolean;
  /**
   * Checks content for errors that the capabilities don't cover, before the message is queued. Makes no network
   * request.
   * @param content the field named after the type, as in the API
   */
  checkContent?(type: MessageType, content: Json): ContentFault[];
  /**
   * Returns the hosts in the settings, which are checked before the settings are stored. `pointer` is a JSON pointer
   * into `settings`.
   */
  endpoints(settings: Json): { host: string; port: number; pointer: string }[];
  /** Returns host and user of each sign-in. Attempts are limited per pair. Omitted if the driver never signs in. */
  accounts?(settings: Json, credentials: Json): { host: string; user: string }[];
  /** For channels that send requests to Fairlead. */
  readonly ingress?: ChannelIngress;
  /**
   * Opens a connection and resolves once it can send and receive. Pairing happens before it resolves
   * (`context.pairing`).
   * @throws DriverError
   */
  open(context: DriverContext): Promise<Connection>;
}

export interface DriverContext {
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly name: string;
  readonly settings: Json;
  readonly credentials: Json;
  /** All network access must go through it. */
  readonly egress: Egress;
  /** The `position` of the last `emit`, from which receiving continues; null for a new instance. */
  readonly position: Json;
  readonly log: Pick<Log, 'debug' | 'warn'>;
  /**
   * The public URL of `POST /channels/{token}` for this instance. Null if the driver has no `ingress`, and during a
   * connection check, when nothing may be registered at the channel.
   */
  readonly ingressUrl: string | null;
  /** Aborts if the instance is disconnected before `open` resolves. */
  readonly signal: AbortSignal;
  /**
   * Stores signals from the channel in order, each exactly once. Resolves once all are durable; only then may they be
   * acknowledged to the channel. `position` is stored in the same transaction.
   * @throws DriverError lost if the instance has another connection now; the driver must close this one
   */
  emit(signals: Signal[], position?: Json): Promise<void>;
  /** Stores a file from a stream of any size. The file is deleted unless a message with it is emitted. */
  receiveFile(
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** Shows the user a pairing step to complete on their device; null once pairing is complete. */
  pairing(step: PairingStep | null): void;
  /** Stores credentials that pairing created, encrypted. */
  saveCredentials(credentials: Json): Promise<void>;
  /**
   * Reports that the connection returned by `open` has ended or can no longer receive. Only `close` is called on it
   * afterwards.
   */
  ended(reason: DriverError): void;
}

export interface PairingStep {
  kind: 'qr' | 'code' | 'link';
  /** Content of the QR code, the code to enter, or the URL to open. */
  data: string;
  expiresAt: Date;
}
