/**
 * Identifies the process of a node, so that after a crash the next start on the same machine does not wait for the
 * lease to end.
 *
 * A process is provably dead only if the caller sees the same process IDs: same boot of the machine, same PID namespace
 * (only Linux provides both; elsewhere nothing is provable). A frozen process is alive.
 */
import { getBegin, idSpace, isKnown } from '../../../platform/embedded-postgres/processes.ts';

const LINUX = process.platform === 'linux';
let own: string | null | undefined;

/**
 * Returns an opaque name of this process, for comparison only; null if the system doesn't provide enough information.
 */
export function thisProcess(): string | null {
  if (own === undefined) {
    const began = LINUX ? getBegin(process.pid) : null;
    own = began === null ? null : `${idSpace()} ${process.pid} ${began}`;
  }
  return own;
}

/** @param name a result of `thisProcess`, from any machine */
export function isProvablyDead(name: string | null): boolean {
  if (!LINUX || name === null) return false;
  const [, space, pid, began] = /^(.+) (\d+) (\d+)$/.exec(name) ?? [];
  if (space === undefined || space !== idSpace()) return false;
  if (!isKnown(Number(pid))) return true;
  // If processes of other users are not visible, there is no start time to compare.
  const seen = getBegin(Number(pid));
  return seen !== null && seen !== began;
}
