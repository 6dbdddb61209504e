/**
 * The secrets of a webhook: its signing secrets (Standard Webhooks: `whsec_` and base64), and the values of its
 * headers. Both are sealed at rest, bound to their row; they only exist in clear in the response that shows a new
 * secret, and while sending.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { SECRET_PREFIX } from '../../../platform/crypto/webhook-signature.ts';
import type { BodyForm, WebhookTemplates } from '../kinds/webhook-body.ts';
import type { WebhookKind } from '../kinds/webhook-kinds.ts';

const NEW_BYTES = 32;

/** A new signing secret: `whsec_` and 32 random bytes. */
export const generateSecret = (): string => `${SECRET_PREFIX}${randomBytes(NEW_BYTES).toString('base64')}`;

interface RowId {
  workspace_id: string;
  id: string;
}

export const secretContext = (row: RowId): string => `${row.workspace_id}|webhooks|${row.id}`;
export const headersContext = (row: RowId): string => `${row.workspace_id}|webhooks.headers|${row.id}`;

export const sealSecret = (secrets: SecretBox, row: RowId, secret: string): string =>
  secrets.seal(secret, secretContext(row));

export const openSecret = (secrets: SecretBox, row: RowId, sealed: string): string =>
  secrets.open(sealed, secretContext(row));

/** @returns null where there are no headers. */
export const sealHeaders = (secrets: SecretBox, row: RowId, headers: Record<string, string>): string | null =>
  Object.keys(headers).length ? secrets.seal(JSON.stringify(headers), headersContext(row)) : null;

export const openHeaders = (secrets: SecretBox, row: RowId, sealed: string | null): Record<string, string> =>
  sealed === null ? {} : parseOwnJson<Record<string, string>>(secrets.open(sealed, headersContext(row)));

/** Columns of `webhooks` that sending requires. */
export interface SealedConfig extends RowId {
  url: string;
  kind: string;
  templates: unknown;
  workspace_slug?: string | null;
  headers_sealed: string | null;
  secret_sealed: string;
  previous_secret_sealed: string | null;
  previous_secret_until: Date | null;
}

export interface WebhookConfig {
  url: string;
  /** The form of its bodies. */
  form: BodyForm;
  workspaceSlug: string;
  /** Further request headers, name → value. */
  headers: Record<string, string>;
  /** Each signs: the present one, then the one before while it still counts. */
  signingKeys: KeyObject[];
}

/** @param now when it is to be sent. @throws Error when something was sealed under another secret or for another row. */
export function openConfig(secrets: SecretBox, row: SealedConfig, now: Date): WebhookConfig {
  const previousCounts = row.previous_secret_until !== null && row.previous_secret_until > now;
  const sealed = [row.secret_sealed, ...(previousCounts ? [row.previous_secret_sealed] : [])];
  return {
    url: row.url,
    form: { kind: row.kind as WebhookKind, templates: row.templates as WebhookTemplates },
    workspaceSlug: row.workspace_slug ?? '',
    headers: openHeaders(secrets, row, row.headers_sealed),
    signingKeys: sealed
      .filter((text) => text !== null)
      .map((text) => createSecretKey(openSecret(secrets, row, text).slice(SECRET_PREFIX.length), 'base64')),
  };
}
