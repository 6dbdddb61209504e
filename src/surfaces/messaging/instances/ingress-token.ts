/** Tokens in the URLs to which channels send requests. */
import { randomBytes } from 'node:crypto';
import type { Driver } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { upsertToken } from './ingress-token.store.ts';

/** 192 bits: the URL is not secret, but strangers cannot guess which instances exist. */
const TOKEN_BYTES = 24;

/** Generates the token of an instance, 32 characters of base64url; null for channels that send no requests. */
export const generateIngressToken = (driver: Driver): string | null =>
  driver.ingress ? randomBytes(TOKEN_BYTES).toString('base64url') : null;

/** Stores the token of an instance with the account key of its settings. */
export async function storeIngressToken(
  tx: Tx,
  workspaceId: string,
  driver: Driver,
  instance: { id: string; ingress_token: string | null; settings: unknown },
): Promise<void> {
  const { id: instanceId, ingress_token: token } = instance;
  if (token === null || !driver.ingress) return;
  const accountKey = driver.ingress.shared?.accountKey(instance.settings as Json) ?? null;
  await upsertToken(tx, workspaceId, { token, instanceId, accountKey });
}
