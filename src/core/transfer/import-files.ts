/** Where files that are imported lie: among the workspace's media, which create-app.ts passes in. */
import type { Readable } from 'node:stream';
import type { OperationSpec } from '../api/operation.ts';
import type { WorkspaceActor } from '../auth/actor.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import type { ReceivedFile, Upload } from '../../platform/http/upload.ts';

/** Bytes that a file may have. */
export const MAX_IMPORTED_BYTES = 64 * 1024 * 1024;

export interface ImportFiles {
  /**
   * Resolves while new data is accepted.
   * @throws the reason of `signal`
   */
  whenRoom(signal?: AbortSignal): Promise<void>;
  /** @param bytes that the file has at least. @throws Problem quota_exceeded */
  admit: NonNullable<OperationSpec['admitUpload']>;
  /** Receives a file, aside. */
  receive(stream: Readable, announced: number | null): Promise<ReceivedFile>;
  /**
   * Moves the received file to where `keep` needs it, before the transaction.
   * @throws Problem quota_exceeded
   */
  bring(unit: ReadUnit, file: ReceivedFile, workspaceId: string): Promise<void>;
  /**
   * Stores the file of a call, in its transaction. @returns its ID @throws Problem invalid_request if it is empty,
   * quota_exceeded
   */
  keep(unit: Unit, actor: WorkspaceActor, upload: Upload, fileName: string): Promise<string>;
  /** @throws Problem not_found, conflict where it is not ready */
  open(
    unit: ReadUnit,
    workspaceId: string,
    id: string,
  ): Promise<{
    size: number;
    read(range: {
      start: number;
      length: number;
    }): Promise<AsyncIterable<Uint8Array> & { close(): Promise<void> }>;
  }>;
  /** @throws Problem not_found */
  remove(unit: Unit, workspaceId: string, id: string): Promise<void>;
}
