/** Converts contacts to CSV lines, one per address. */
import { csvHead, csvLines } from '../../../core/api/csv.ts';
import type { ContactObject } from './contact.schema.ts';

const COLUMNS = [
  'id',
  'name',
  'profile_name',
  'username',
  'instance_id',
  'instance',
  'address',
  'avatar_url',
  'blocked',
  'metadata',
  'created_at',
] as const;

export const contactHead = (): string => csvHead(COLUMNS);

/** @param getName returns the name of an instance by its public ID */
export function contactLines(
  contacts: readonly ContactObject[],
  getName: ReadonlyMap<string, string>,
): string {
  const lines = contacts.flatMap((contact) => {
    const identities = contact.identities.length ? contact.identities : [{ instance_id: '', address: '' }];
    return identities.map(({ instance_id: instanceId, address }) => [
      contact.id,
      contact.name ?? '',
      contact.profile_name ?? '',
      contact.username ?? '',
      instanceId,
      getName.get(instanceId) ?? '',
      address,
      contact.avatar_url ?? '',
      String(contact.blocked),
      Object.keys(contact.metadata).length ? JSON.stringify(contact.metadata) : '',
      contact.created_at,
    ]);
  });
  return csvLines(lines);
}
