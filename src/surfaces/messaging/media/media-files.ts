/**
 * The bytes of media, once for each content of a workspace, under one name in any store:
 *
 * <workspace>/<first two of sha256>/<sha256>
 *
 * A store is a folder (local-files.ts) or a bucket (s3-files.ts). A file is received under a temporary name and moved
 * into the workspace by the transaction that writes its row, so a name that a row refers to holds all of its bytes. A
 * sweep removes files that a crash leaves without a row (media-sweep.ts). Code that adopts or removes a content must
 * hold its lock in the database (media.store.ts).
 */
import type { ReceivedFile } from '../../../platform/http/upload.ts';

export const MAX_BYTES = 64 * 1024 * 1024;

export interface ReceivedMedia extends ReceivedFile {
  /** The first bytes, 32 KiB at most. */
  head: Buffer;
  /**
   * Brings the bytes to where `adopt` needs them, which may take as long as sending them; so it is called before the
   * transaction begins.
   * @throws Problem unavailable, storage_full
   */
  bring(workspaceId: string): Promise<void>;
  /** Assigns the file durably to the workspace. Must be called under the content's lock. @throws Problem unavailable */
  adopt(workspaceId: string): Promise<void>;
}

export interface StoredFile {
  workspaceId: string;
  /** Hexadecimal. */
  sha256: string;
}

export interface Span {
  start: number;
  length: number;
}

/** Bytes that are being read. A piece is valid only until the next one is requested. */
export interface FileBytes extends AsyncIterable<Uint8Array> {
  /** Must be called whether or not everything was read. */
  close(): Promise<void>;
}

export interface MediaFiles {
  /**
   * @param announced expected number of bytes, if known
   * @throws Problem payload_too_large, storage_full; any error of the stream. Nothing is left behind then.
   */
  receive(bytes: AsyncIterable<Buffer>, announced: number | null): Promise<ReceivedMedia>;
  /** @returns null if it is not there. @throws Problem unavailable */
  read(workspaceId: string, sha256: Buffer, span: Span): Promise<FileBytes | null>;
  /** Must be called under the content's lock. */
  remove(workspaceId: string, sha256: string): Promise<void>;
  removeWorkspace(workspaceId: string): Promise<void>;
  /**
   * Deletes uploads that began before that time and did not complete.
   * @returns the number deleted
   */
  removeIncoming(before: Date): Promise<number>;
  /** Iterates over contents stored before that time. */
  storedBefore(before: Date): AsyncIterable<StoredFile>;
  /** Whether the store answers; without one, files are on this machine. */
  check?: () => Promise<'ok' | 'degraded'>;
  close(): Promise<void>;
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the path of a content relative to the root of its store. */
export const getKey = (workspaceId: string, sha256: string): string =>
  `${workspaceId}/${sha256.slice(0, 2)}/${sha256}`;
