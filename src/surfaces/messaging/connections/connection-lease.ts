/**
 * The view of a connection that other parts of messaging have: this node's lease, its epoch, and how to use it.
 *
 * Invariants: each acquisition creates a new holding. Once its `signal` has aborted, it never becomes valid again; code
 * that still has it writes nothing to the database (the fence would reject it, fence.ts) and sends nothing to the
 * channel.
 */
import type { Readable } from 'node:stream';
import type { Capabilities } from '../../../channels/contract/capabilities.ts';
import { type Connection, type ReceivedFile } from '../../../channels/contract/connection.ts';
import { type Driver } from '../../../channels/contract/driver.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { type Json } from '../../../channels/contract/json.ts';
import { type Signal } from '../../../channels/contract/signal.ts';

export interface Holding {
  /** IDs are in the database format. */
  readonly instanceId: string;
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly driver: Driver;
  readonly settings: Json;
  readonly capabilities: Capabilities;
  /**
   * Whether the connection still belongs to this node, by the monotonic clock. Must be checked right before anything is
   * sent. Writes are decided by the database, not by this.
   */
  isHeld(): boolean;
  /** Aborts when the node loses the connection or must close it: nothing new is started then. */
  readonly signal: AbortSignal;
  /** Must be called if a fenced statement found no row: the connection is closed and nothing is written. */
  lost(): void;
}

export interface ConnectionLease extends Holding {
  readonly connection: Connection;
  /**
   * Reports an error of a call that concerns the account or the connection itself (`lost`, `refused`, `restricted`);
   * other kinds have no effect.
   */
  report(fault: DriverError): void;
}

/** The sending side of a connection: sends while attached. */
export interface ConnectionSender {
  /** Called when the connection is up and not restricted, at most once until `detach` has resolved. */
  attach(held: ConnectionLease): void;
  /**
   * Starts nothing more. Resolves once no send of this instance is running and all outcomes are stored. The caller
   * limits the time, then aborts `held.signal` and closes. May also be called when not attached.
   */
  detach(instanceId: string): Promise<void>;
}

/** The receiving side of a connection. Calls for one holding are sequential, in the channel's order. */
export interface ConnectionReceiver {
  /** @throws Problem storage_full while nothing new is accepted. If omitted, there is always space */
  assertDiskSpace?(): void;
  /**
   * Stores all signals durably, together with `position` unless it is undefined.
   * @throws HoldingLost if the fence finds that another node holds the connection
   */
  apply(holding: Holding, signals: Signal[], position: Json | undefined): Promise<void>;
  receiveFile(
    holding: Holding,
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
}

/** The connection no longer belongs to this node. */
export class HoldingLost extends DriverError {
  constructor() {
    super('lost', 'not_holder', 'The connection is held elsewhere by now.');
  }
}
