/**
 * Contacts as lines of CSV, one for each address. Programs that show tables take a cell that begins with = + - @, a tab
 * or a line break for a formula and perform it; so such a cell is written behind an apostrophe, which reading takes away.
 * One that begins with apostrophes before such a sign gets one more: whatever was written is read as it was.
 */
import { stringify } from 'csv-stringify/sync';
import type { ContactObject } from './contact.schema.ts';

const FORMULA = /^'*[=+\-@\t\r\n]/;
const GUARDED = /^'+[=+\-@\t\r\n]/;

export const guardCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
export const readCell = (text: string): string => (GUARDED.test(text) ? text.slice(1) : text);

const COLUMNS = [
  'id',
  'name',
  'profile_name',
  'instance_id',
  'instance',
  'address',
  'avatar_url',
  'blocked',
  'metadata',
  'created_at',
] as const;

/** So that programs for tables see that it is UTF-8. */
const MARK = '\ufeff';
export const csvHead = (): string => MARK + stringify([[...COLUMNS]], { record_delimiter: '\r\n' });

/** @param nameOf names of instances by their public ids */
export function csvLines(contacts: readonly ContactObject[], nameOf: ReadonlyMap<string, string>): string {
  const lines = contacts.flatMap((contact) => {
    const identities = contact.identities.length ? contact.identities : [{ instance_id: '', address: '' }];
    return identities.map(({ instance_id: instanceId, address }) =>
      [
        contact.id,
        contact.name ?? '',
        contact.profile_name ?? '',
        instanceId,
        nameOf.get(instanceId) ?? '',
        address,
        contact.avatar_url ?? '',
        String(contact.blocked),
        Object.keys(contact.metadata).length ? JSON.stringify(contact.metadata) : '',
        contact.created_at,
      ].map(guardCell),
    );
  });
  return stringify(lines, { record_delimiter: '\r\n' });
}
