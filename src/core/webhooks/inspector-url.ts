/** How webhooks and rules keep the address of an inspector: without its secret, which events and backups would show. */
import type { Db } from '../../platform/db/database.ts';
import { hashInspectToken, inspectUrlById, readInspectUrl } from './inspect-token.ts';
import { inspectorIdOfToken } from './inspector.store.ts';

/** Replaces the secret URL of an inspector of this workspace with the one by its ID; other URLs stay unchanged. */
export async function withoutInspectToken(
  db: Db,
  baseUrl: string,
  workspaceId: string,
  url: string,
): Promise<string> {
  const inspector = readInspectUrl(baseUrl, url);
  if (inspector === null || !('token' in inspector)) return url;
  const id = await inspectorIdOfToken(db, workspaceId, hashInspectToken(inspector.token));
  return id === undefined ? url : inspectUrlById(baseUrl, id);
}
