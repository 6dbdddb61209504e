/**
 * What the parts of messaging know of a connection: that this node holds it, under which epoch, and how to speak on it.
 *
 * Invariants: a holding is of one take. Once its `signal` has aborted it never comes back; whoever still has it writes
 * nothing to the database (the fence would refuse it, fence.ts) and nothing to the channel.
 */
import type { Readable } from 'node:stream';
import type { Capabilities } from '../../../channels/contract/capabilities.ts';
import { type Connection, type ReceivedFile } from '../../../channels/contract/connection.ts';
import { type Driver } from '../../../channels/contract/driver.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { type Json } from '../../../channels/contract/json.ts';
import { type Signal } from '../../../channels/contract/signal.ts';

export interface Holding {
  /** IDs as the database has them. */
  readonly instanceId: string;
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly driver: Driver;
  readonly settings: Json;
  readonly capabilities: Capabilities;
  /**
   * Whether it is this node's by now, by the monotonic clock: to be asked right before anything leaves. The database
   * decides what is written, not this.
   */
  isHeld(): boolean;
  /** Aborts when the node loses the connection or must close it: nothing further is started then. */
  readonly signal: AbortSignal;
  /** To be called by whoever's fenced statement found no row: it is closed and nothing is written. */
  lost(): void;
}

export interface ConnectionLease extends Holding {
  readonly connection: Connection;
  /**
   * To be called with what a call on the connection told of the account or the connection itself (`lost`, `refused`,
   * `restricted`); other kinds change nothing.
   */
  report(fault: DriverError): void;
}

/** The queue's side: sends while it is attached. */
export interface ConnectionSender {
  /** The connection is up, and not restricted. Called at most once until `detach` has resolved. */
  attach(held: ConnectionLease): void;
  /**
   * Begins nothing more. Resolves once nothing of this instance is under way and what ended is settled; the caller
   * bounds the time, aborts `held.signal` and closes then. Also called where it is not attached.
   */
  detach(instanceId: string): Promise<void>;
}

/** The inbound side. Calls for one holding come one after the other, in the channel's order. */
export interface ConnectionReceiver {
  /** @throws Problem storage_full while nothing new is taken. Left out: there is always room */
  assertDiskSpace?(): void;
  /**
   * Makes all of it durable, and `position` with it where it is not undefined.
   * @throws HoldingLost where the fence found that it is another's
   */
  apply(holding: Holding, signals: Signal[], position: Json | undefined): Promise<void>;
  receiveFile(
    holding: Holding,
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
}

/** The connection is not this node's any more. */
export class HoldingLost extends DriverError {
  constructor() {
    super('lost', 'not_holder', 'The connection is held elsewhere by now.');
  }
}
