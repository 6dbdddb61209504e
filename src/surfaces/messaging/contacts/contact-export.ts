/** Exports contacts as CSV, page by page. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { contactHead, contactLines } from './contact-csv.ts';
import { type ContactFilter, toCursor, listContacts } from './contact-list.store.ts';
import { presentContact } from './contact-present.ts';
import { instanceNames } from './contact-import.store.ts';

const PAGE = 500;

/** Yields all matching contacts. */
export async function* contactPages(
  unit: ReadUnit,
  workspaceId: string,
  filter: ContactFilter,
): AsyncGenerator<string> {
  yield contactHead();
  const names = new Map<string, string>();
  for (let after: string | null = null; ;) {
    const { rows, windowEnd } = await listContacts(unit.db, workspaceId, { limit: PAGE, after }, filter);
    const shown = rows.slice(0, PAGE).map(presentContact);
    const ids = rows.flatMap(({ identities }) => identities.map((one) => one.instance_id));
    const unknown = [...new Set(ids)].filter((id) => !names.has(publicId('instance', id)));
    for (const { id, name } of await instanceNames(unit.db, workspaceId, unknown))
      names.set(publicId('instance', id), name);
    if (shown.length) yield contactLines(shown, names);
    after = rows.length > PAGE ? toCursor(rows[PAGE - 1]!) : windowEnd;
    if (after === null) return;
  }
}
