/** Awaits work with a timeout, and until the call is canceled. */
import { abandoned } from '../wire/errors.ts';

/** @param late returns the error to throw on timeout, or null to resolve with undefined */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
  late: () => Error,
): Promise<T>;
export async function within<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
  late: () => Error | null,
): Promise<T | undefined>;
export async function within<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
  late: () => Error | null,
): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  over.promise.catch(() => {});
  const timer = setTimeout(() => {
    const fault = late();
    if (fault) over.reject(fault);
    else over.resolve(undefined);
  }, ms);
  const onAbort = (): void => over.reject(abandoned());
  signal?.addEventListener('abort', onAbort);
  work.catch(() => {}); // if it loses the race, its error is ignored
  try {
    if (signal?.aborted) onAbort();
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
