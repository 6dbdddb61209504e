/**
 * The secrets of an instance: its credentials and pairing data. Both are sealed at rest and bound to their row; they
 * are in clear text only in the connection that uses them and in the response of `GET …/pairing`.
 */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { PairingStep } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';

interface RowId {
  workspace_id: string;
  id: string;
}

export const credentialsContext = (row: RowId): string => `${row.workspace_id}|instances|${row.id}`;
export const pairingContext = (row: RowId): string => `${row.workspace_id}|instances.pairing|${row.id}`;

export const sealCredentials = (secrets: SecretBox, row: RowId, credentials: Json): string =>
  secrets.seal(JSON.stringify(credentials), credentialsContext(row));

/** @throws Error if they were sealed with another secret or for another row */
export const openCredentials = (
  secrets: SecretBox,
  row: RowId & { credentials_sealed: string | null },
): Json =>
  row.credentials_sealed === null
    ? {}
    : parseOwnJson<Json>(secrets.open(row.credentials_sealed, credentialsContext(row)));

/** The secret part of a pairing step: anyone who has it controls the account. */
export type PairingSecret = Pick<PairingStep, 'kind' | 'data'>;

/** For the columns `pairing_sealed` and `pairing_expires_at`. */
export const sealPairing = (secrets: SecretBox, row: RowId, step: PairingStep | null) => ({
  pairing_sealed:
    step === null
      ? null
      : secrets.seal(JSON.stringify({ kind: step.kind, data: step.data }), pairingContext(row)),
  pairing_expires_at: step?.expiresAt ?? null,
});

export const openPairing = (secrets: SecretBox, row: RowId, sealed: string): PairingSecret =>
  parseOwnJson<PairingSecret>(secrets.open(sealed, pairingContext(row)));
