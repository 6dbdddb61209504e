/** Credentials of a model provider, sealed at rest and bound to their row. They are opened only to send a request. */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';

interface RowId {
  workspace_id: string;
  id: string;
}

export interface ProviderSecrets {
  api_key: string | null;
  /** Additional request headers, name → value. */
  headers: Record<string, string>;
}

const NONE: ProviderSecrets = { api_key: null, headers: {} };

export const providerSecretsContext = (row: RowId): string => `${row.workspace_id}|model_providers|${row.id}`;

/** @returns null if there are none */
export const sealProviderSecrets = (box: SecretBox, row: RowId, secrets: ProviderSecrets): string | null =>
  secrets.api_key === null && Object.keys(secrets.headers).length === 0
    ? null
    : box.seal(JSON.stringify(secrets), providerSecretsContext(row));

/** @throws Error if they were sealed with another root secret or for another row */
export const openProviderSecrets = (
  box: SecretBox,
  row: RowId & { secrets_sealed: string | null },
): ProviderSecrets =>
  row.secrets_sealed === null
    ? NONE
    : parseOwnJson<ProviderSecrets>(box.open(row.secrets_sealed, providerSecretsContext(row)));
