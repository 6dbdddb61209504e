/** Bounds the time that a promise is waited for. The work itself continues, and a later failure of it is ignored. */

const LATE = Symbol('late');

async function race<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, ms, LATE);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as `work` does, or resolves with undefined after `ms` milliseconds. */
export async function settleWithin<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const result = await race(work, ms);
  return result === LATE ? undefined : result;
}

/** Settles as `work` does, or rejects with an Error after `ms` milliseconds. */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  message = `no result within ${ms} ms`,
): Promise<T> {
  const result = await race(work, ms);
  if (result === LATE) throw new Error(message);
  return result;
}
