/** Adds to messages the files that WhatsApp names in them. */
import type { ReceivedFile } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Signal } from '../contract/signal.ts';
import { createFairGate } from '../../platform/limits/fair-gate.ts';
import { currentTime } from '../../platform/time/clock.ts';
import type { Media } from './media.ts';
import type { Read, ReadMessage } from './signals.ts';

const DOWNLOADS = 4;
/** A file that cannot be downloaded is left out after this; until then its message is read again. */
const DOWNLOAD_WITHIN_MS = 600_000;

const isPassing = (error: unknown): boolean =>
  error instanceof DriverError && error.kind !== 'rejected' && error.kind !== 'refused';

/** Returns a function that creates signals with their files, a few of which are downloaded concurrently. */
export function createToSignals(context: Pick<DriverContext, 'log'>, media: Pick<Media, 'download'>) {
  const limitDownloads = createFairGate({ capacity: DOWNLOADS });

  /** Returns the file of a message; null if it can no longer be had. @throws DriverError if it can be had later */
  async function download(
    { message, media: file }: ReadMessage,
    signal: AbortSignal,
  ): Promise<ReceivedFile | null> {
    if (!file) return null;
    try {
      return await limitDownloads([], () => media.download(file, signal));
    } catch (error) {
      const isLate = currentTime().getTime() - message.at.getTime() > DOWNLOAD_WITHIN_MS;
      if (!(error instanceof DriverError) || error.kind === 'refused' || (isPassing(error) && !isLate))
        throw error;
      context.log.warn({ code: error.code, type: message.type }, 'whatsapp: file left out, download failed');
      return null;
    }
  }

  return async ({ signals, messages }: Read, signal: AbortSignal): Promise<Signal[]> => {
    const complete = messages.map(async (one) => {
      const received = await download(one, signal);
      return received ? { ...one.message, file: { received } } : one.message;
    });
    return [...signals, ...(await Promise.all(complete))];
  };
}
