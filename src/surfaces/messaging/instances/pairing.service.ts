/** The code or link that connects an account. Anyone who has it controls the account. */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import type { PairingObject } from './instance.schema.ts';
import * as store from './instance.store.ts';
import { openPairing } from './instance-secrets.ts';

/** @throws Problem not_found; conflict if no pairing is pending, or the next step is not available yet */
export async function getPairing(
  unit: ReadUnit,
  secrets: SecretBox,
  workspaceId: string,
  id: string,
): Promise<PairingObject> {
  const row = await store.getInstance(unit.db, workspaceId, id);
  if (!row) throw notFound('instance');
  const { state, pairing_sealed: sealed, pairing_expires_at: expiresAt } = row;
  if (state !== 'action_required' || sealed === null || expiresAt === null)
    throw new Problem('conflict', `There is nothing to pair: the instance is ${state}, not action_required.`);
  if (expiresAt <= unit.clock())
    throw new Problem(
      'conflict',
      'The last code has expired. A new one is being created; try again shortly.',
    );
  const { kind, data } = openPairing(secrets, row, sealed);
  return {
    object: 'pairing',
    instance_id: publicId('instance', id),
    kind,
    data,
    expires_at: expiresAt.toISOString(),
  };
}
