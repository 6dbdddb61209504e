/**
 * Which process a node is, so that after a crash the next start on the same machine need not wait for a lease to end.
 *
 * A process is dead for certain only where the asker sees the same process ids: same start of the machine, same
 * namespace of IDs (Linux names both; elsewhere nothing is claimed). A frozen process is alive.
 */
import { getBegin, idSpace, isKnown } from '../../../platform/embedded-postgres/processes.ts';

const LINUX = process.platform === 'linux';
let own: string | null | undefined;

/** This process, in a form that only serves to be compared; null where the system doesn't tell enough. */
export function thisProcess(): string | null {
  if (own === undefined) {
    const began = LINUX ? getBegin(process.pid) : null;
    own = began === null ? null : `${idSpace()} ${process.pid} ${began}`;
  }
  return own;
}

/** @param name what `thisProcess` gave, on any machine */
export function isProvablyDead(name: string | null): boolean {
  if (!LINUX || name === null) return false;
  const [, space, pid, began] = /^(.+) (\d+) (\d+)$/.exec(name) ?? [];
  if (space === undefined || space !== idSpace()) return false;
  if (!isKnown(Number(pid))) return true;
  // Where other users' processes can't be looked at there is no beginning to compare.
  const seen = getBegin(Number(pid));
  return seen !== null && seen !== began;
}
