/** Stores files of Telegram. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { File } from '@grammyjs/types';
import type { ReceivedFile } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { createDownload } from '../http-api/download.ts';
import type { BotApi } from './bot-api.ts';
import type { FileRef } from './content.ts';
import { object, text } from './untrusted.ts';

/** Maximum size of files from Telegram's own server. */
const MAX_BYTES = 20_000_000;
/** Maximum size of files that Fairlead accepts. */
const MAX_BYTES_SELF_HOSTED = 67_108_864;
const TIMEOUT_MS = 120_000;
const ATTEMPTS = 3;
const RETRY_MS = 1_000;
const PATH = /^(?!.*\.\.)[\w.-]+(\/[\w.-]+)*$/;

/** Stores a file; null if Telegram does not give it out: it is too large, or gone. */
export type ReceiveFile = (file: FileRef, signal: AbortSignal) => Promise<ReceivedFile | null>;

export function createReceiveFile(
  api: BotApi,
  context: DriverContext,
  { isSelfHosted }: { isSelfHosted: boolean },
): ReceiveFile {
  const download = createDownload(context, 'Telegram');
  const maxBytes = isSelfHosted ? MAX_BYTES_SELF_HOSTED : MAX_BYTES;

  const receive = async ({ id, fileName, mimeType }: FileRef, signal: AbortSignal): Promise<ReceivedFile> => {
    const about = object<File>(await api.call('getFile', { file_id: id }, { signal }));
    const path = text(about?.file_path, 1000);
    // A Bot API server in local mode names a path on its own disk.
    if (path === null || !PATH.test(path))
      throw new DriverError('rejected', 'file_unavailable', 'Telegram: the file has no path to download it.');
    return download({
      url: api.fileUrl(path),
      about: { fileName, mimeType },
      maxBytes,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
  };

  return async (file, signal) => {
    if (file.size !== null && file.size > maxBytes) {
      context.log.warn({ size: file.size }, 'telegram: a file is too large to be downloaded');
      return null;
    }
    for (let attempt = 1; ; attempt++)
      try {
        return await receive(file, signal);
      } catch (error) {
        if (!(error instanceof DriverError) || signal.aborted || error.kind === 'refused') throw error;
        if (error.kind !== 'rejected' && attempt < ATTEMPTS) {
          await sleep(Math.max(RETRY_MS * attempt, Math.min(error.retryAfterMs ?? 0, 30_000)), undefined, {
            signal,
          });
          continue;
        }
        // If Telegram is unreachable, the message waits. A file that only this download can't get must not hold up the rest.
        if (error.kind === 'lost') await api.call('getMe', {}, { signal });
        context.log.warn({ code: error.code }, 'telegram: a file could not be downloaded');
        return null;
      }
  };
}
