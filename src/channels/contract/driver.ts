/**
 * The contract between the product and a channel. A driver knows how to speak to one kind of server; it knows no
 * database, no HTTP and no state of the product. What a driver is given and what it gives back is durable on our side
 * before it is acknowledged on the other: `send` is called for a message that is stored, and whoever acknowledges to
 * the channel awaits `emit` first.
 *
 * docs/channel-drivers.md tells how to write one; `test/conformance/` is what each must pass.
 */
import type { Readable } from 'node:stream';
import type { TObject } from 'typebox';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Capabilities, MessageType, Resend } from './capabilities.ts';
import type { Connection, ReceivedFile } from './connection.ts';
import type { DriverError } from './driver-error.ts';
import type { ChannelIngress } from './ingress.ts';
import type { Json } from './json.ts';
import type { Signal } from './signal.ts';

/** Why the channel would reject a content. `pointer` is a JSON pointer into the message: `/interactive/choices/0/title`. */
export interface ContentFault {
  pointer: string;
  /** As the code of the error with which the message would fail. */
  code: string;
  detail: string;
}

export interface Driver {
  /** Its name in the API: `email`. */
  readonly channel: string;
  readonly title: string;
  /** One sentence for the console. */
  readonly description: string;
  /** Strict TypeBox objects; the console makes its forms of them. A secret field has `format: 'password'`. */
  readonly credentials: TObject;
  readonly settings: TObject;
  /** JSON pointers into `settings`, whose change asks for the credentials again, so that nobody sends them to a server of theirs: `/imap/host`. */
  readonly hostSettings: readonly string[];
  readonly resend: Resend;
  /** How long `send` may take until the message is looked after as `resend` says. Milliseconds. */
  readonly ackTimeoutMs: number;
  /** Whether it pairs (QR, code) rather than taking credentials alone. */
  readonly pairs: boolean;
  capabilities(settings: Json): Capabilities;
  /** The account's own address where it is known before any connection, normalized; else null. */
  ownAddress(input: { name: string; settings: Json; credentials: Json }): string | null;
  /**
   * The one way to write an address: what two spellings of one have in common. No look-up.
   * @throws InvalidAddressError where it can be none
   */
  normalizeAddress(address: string, settings: Json): string;
  /** With `thread_ids`: whether an ID can be that of a thread. No look-up. */
  isThreadId?(id: string): boolean;
  /**
   * Finds what the channel would reject in a message beyond its capabilities, before it is queued. No look-up.
   * @param content the object under the type's name, as the API has it
   */
  checkContent?(type: MessageType, content: Json): ContentFault[];
  /** Hosts that the settings name, for the check before anything is stored. `pointer` is one into `settings`. */
  endpoints(settings: Json): { host: string; port: number; pointer: string }[];
  /** Whom it signs in as, and where: at each, passwords may be tried so and so often. Absent where it signs in nowhere. */
  accounts?(settings: Json, credentials: Json): { host: string; user: string }[];
  /** For channels that send requests to us. */
  readonly ingress?: ChannelIngress;
  /**
   * Opens a connection and resolves once it can send and hears. Waits for pairing within it (`context.pairing`).
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
  /** The only way to the network. */
  readonly egress: Egress;
  /** The `position` of the last `emit`, from which receiving continues; null at first. */
  readonly position: Json;
  readonly log: {
    debug(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
  /**
   * The public URL of `POST /channels/{token}` of this instance; null if the driver has no `ingress`, and
   * while a connection is only checked: then nothing may be registered at the channel.
   */
  readonly ingressUrl: string | null;
  /** Aborts when the instance is to be disconnected, while `open` still waits. */
  readonly signal: AbortSignal;
  /**
   * Stores signals from the channel, in order. Resolves once all are durable, each exactly once; only then may they be
   * acknowledged to the channel. `position` is stored in the same transaction.
   * @throws DriverError lost if this connection no longer belongs to the instance: close it
   */
  emit(signals: Signal[], position?: Json): Promise<void>;
  /** Streams a file in, whatever its size. The file is kept only once a message with it was emitted. */
  receiveFile(
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** What somebody must do on a device, until it is done; null once it is. */
  pairing(step: PairingStep | null): void;
  /** New credentials that pairing gave, kept sealed from then on. */
  saveCredentials(credentials: Json): Promise<void>;
  /** The connection that `open` gave has ended or hears nothing any more. Nothing is called on it afterwards but `close`. */
  ended(reason: DriverError): void;
}

export interface PairingStep {
  kind: 'qr' | 'code' | 'link';
  /** What the QR code holds, the code to type, or the address to open. */
  data: string;
  expiresAt: Date;
}
