/**
 * Replaces the secret addresses of inspectors that an earlier release stored with webhooks and rules by the ones with the
 * inspector's ID. Nothing else of them changes, so no event tells of it: it would show the secret again.
 */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database, Db } from '../../platform/db/database.ts';
import { FIRST_UUID } from '../../platform/db/uuid-time.ts';
import { inspectUrl, inspectUrlById } from './inspect-token.ts';
import * as cleanup from './inspector-cleanup.system-store.ts';
import { inspectorTokenContext } from './inspector.service.ts';
import { subscriptionHash } from './webhook-input.ts';
import { filtersOfRow } from './webhook-present.ts';
import * as store from './webhook.store.ts';

const BATCH = 200;

export interface TokenCleanupDeps {
  db: Database;
  secrets: SecretBox;
  baseUrl: string;
  /** Replaces the address that rules of a workspace call. @returns how many rules */
  replaceCalledUrl(db: Db, workspaceId: string, from: string, to: string): Promise<number>;
}

/** @returns null where no secret at hand opens it */
function getToken(secrets: SecretBox, workspaceId: string, id: string, sealed: string): string | null {
  try {
    return secrets.open(sealed, inspectorTokenContext(workspaceId, id));
  } catch {
    return null;
  }
}

/**
 * Skips a webhook if its creator has since subscribed the new address.
 * @returns whether it was changed
 */
function moveWebhook(
  db: Database,
  { workspace_id, id, created_by }: store.WebhookRow,
  url: string,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await store.lockSubscriptionsFor(tx, workspace_id, created_by);
    const row = await store.lockWebhook(tx, workspace_id, id);
    if (!row) return false;
    const subscription_hash = subscriptionHash(url, row.events, filtersOfRow(row));
    if (await store.findBySubscription(tx, workspace_id, created_by, subscription_hash, id)) return false;
    await store.updateWebhook(tx, workspace_id, id, { url, subscription_hash }, row.updated_at);
    return true;
  });
}

/** @returns how many webhooks and rules were changed. @throws where `signal` ends it early */
export async function hideInspectTokens(
  { db, secrets, baseUrl, replaceCalledUrl }: TokenCleanupDeps,
  signal?: AbortSignal,
): Promise<number> {
  let changed = 0;
  for (let after = { workspace_id: FIRST_UUID, id: FIRST_UUID }; ;) {
    signal?.throwIfAborted();
    const inspectors = await cleanup.inspectorsAfter(db, after, BATCH);
    if (!inspectors.length) return changed;
    for (const { workspace_id, id, token_sealed } of inspectors) {
      const token = getToken(secrets, workspace_id, id, token_sealed);
      if (token === null) continue;
      const [from, to] = [inspectUrl(baseUrl, token), inspectUrlById(baseUrl, id)];
      for (const row of await store.webhooksAt(db, workspace_id, from))
        if (await moveWebhook(db, row, to)) changed++;
      changed += await replaceCalledUrl(db, workspace_id, from, to);
    }
    after = inspectors.at(-1)!;
  }
}
