/** Hashes passwords that are set on links: persons take turns, then their workspaces, then the callers of each. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { LinkDeps } from './link-deps.ts';

export type LinkPasswordDeps = Pick<LinkDeps, 'hasher' | 'getPerson'>;

/** @throws Problem unavailable if too many passwords are queued */
export async function hashLinkPassword(
  { hasher, getPerson }: LinkPasswordDeps,
  { workspaceId, id }: Pick<WorkspaceActor, 'workspaceId' | 'id'>,
  password: string,
): Promise<string> {
  return hasher.hash(password, [await getPerson(workspaceId), workspaceId, id]);
}
