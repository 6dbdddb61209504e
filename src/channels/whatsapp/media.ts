/** Files in both directions: uploaded before they are sent, downloaded when their message is received. */
import type { OutboundFile, ReceivedFile } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { createDownload } from '../http-api/download.ts';
import { createUpload } from '../http-api/upload.ts';
import { GRAPH_DEFAULTS, type Graph } from './api.ts';
import type { MediaRef } from './content.ts';
import { readObject, readText } from './fields.ts';

/** 100 MB at 4 Mbit/s. */
const TRANSFER_MS = 240_000;
const MAX_BYTES = 100 * 1024 * 1024;

export interface Media {
  /** Returns the ID under which the file can be sent. @throws DriverError */
  upload(file: OutboundFile, signal: AbortSignal): Promise<string>;
  /** Sets the picture of a group. @throws DriverError */
  setPicture(groupId: string, file: OutboundFile, signal: AbortSignal): Promise<void>;
  /** @throws DriverError rejected if the file no longer exists or is too large */
  download(media: MediaRef, signal: AbortSignal): Promise<ReceivedFile>;
}

export function createMedia(context: Pick<DriverContext, 'egress' | 'receiveFile'>, graph: Graph): Media {
  const upload = createUpload(context.egress, GRAPH_DEFAULTS);
  const download = createDownload(context, GRAPH_DEFAULTS.title);
  /** Posts a file to a node or edge, which may be repeated. */
  const post = (
    path: readonly string[],
    fields: Readonly<Record<string, string>>,
    { mimeType, size, fileName, open }: OutboundFile,
    signal: AbortSignal,
  ) =>
    upload({
      url: graph.url(path),
      headers: { ...graph.headers },
      fields: { messaging_product: 'whatsapp', ...fields },
      file: { field: 'file', fileName: fileName ?? 'file', mimeType, size, open },
      timeoutMs: TRANSFER_MS,
      signal,
      isSafe: true,
    });
  return {
    async upload(file, signal) {
      // A file that nothing refers to is never seen by anyone.
      const answer = await post([graph.phoneNumberId, 'media'], { type: file.mimeType }, file, signal);
      const id = readText(readObject(answer.json)?.['id']);
      if (id === null)
        throw new DriverError('busy', 'invalid_answer', 'WhatsApp returned no ID for the file.');
      return id;
    },
    async setPicture(groupId, file, signal) {
      await post([groupId], {}, file, signal);
    },
    async download({ id, mimeType, fileName }, signal) {
      // The URL is valid for five minutes.
      const found = await graph.get([id], { phone_number_id: graph.phoneNumberId }, signal);
      const url = readText(found['url']);
      if (url === null)
        throw new DriverError('rejected', 'file_unavailable', 'WhatsApp no longer has the file.');
      return download({
        url,
        headers: { ...graph.headers },
        about: { fileName, mimeType: mimeType ?? readText(found['mime_type']) },
        maxBytes: MAX_BYTES,
        timeoutMs: TRANSFER_MS,
        signal,
      });
    },
  };
}
