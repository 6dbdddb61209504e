/** Imports of the console's own parts, which come over the network and change with each version of the server. */
import { t } from '../copy/text.ts';
import { networkProblem } from './problem.ts';

/** Called when an import starts or stops waiting for the server, so that the console can show a notice. */
type Listener = (isWaiting: boolean) => void;

const listeners = new Set<Listener>();
let waiting = 0;

const RETRY_MS = 2_000;
/** Distinguishes a tab that has just been reloaded for a new version from one that needs a reload. */
const RELOADED = 'fairlead.reloaded-at';
const RELOAD_EVERY_MS = 60_000;

export function onWaiting(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const report = (change: 1 | -1): void => {
  waiting += change;
  for (const listener of listeners) listener(waiting > 0);
};

/** Whether the server answers at all. */
const isReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    () => true,
    (error: unknown) => {
      if (networkProblem(error) === error) throw error;
      return false;
    },
  );

/** Reloads the page, at most once a minute. @returns whether it does. */
function reloadForNewVersion(): boolean {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RELOAD_EVERY_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
  return true;
}

/** Begins to load a part that may be needed soon. Where that fails, it is imported again when it is needed. */
export const preload = (load: () => Promise<unknown>): void => void load().catch(() => undefined);

/**
 * Imports a part of the console. While the server can't be reached it waits and tries again. Where the server answers
 * but the part is gone, the server has been upgraded under an open tab: the page reloads.
 * @throws Error, in words for the user, where a reload did not help; at the import's own, the router would reload again
 */
export async function importOrWait<M>(load: () => Promise<M>): Promise<M> {
  let isWaiting = false;
  try {
    for (;;) {
      try {
        return await load();
      } catch (error) {
        if (!isWaiting) {
          isWaiting = true;
          report(1);
        }
        if (await isReachable()) {
          // It may have come back between the two.
          const again = await load().catch(() => null);
          if (again !== null) return again;
          if (!reloadForNewVersion())
            throw new Error(t("Couldn't load this part of the console. Try again later."), { cause: error });
          return await new Promise<never>(() => undefined);
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  } finally {
    if (isWaiting) report(-1);
  }
}
