/**
 * Creates and changes contacts for all callers: rows and events, in one transaction, in batches. The caller holds the
 * locks: of the instances' rows in `instance_queues` if addresses change, then of the contacts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { erasedObject } from '../../../core/events/erasure/redact.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { ContactObject } from './contact.schema.ts';
import * as store from './contact.store.ts';
import { presentContact } from './contact-present.ts';

export interface Change {
  before: store.ContactRow;
  change: store.ContactChange;
  /** If addresses change, all addresses that the contact has afterwards. */
  identities?: store.IdentityRow[];
}

const inOrder = (identities: readonly store.IdentityRow[]): store.IdentityRow[] =>
  identities.toSorted((a, b) => (store.keyOfIdentity(a) < store.keyOfIdentity(b) ? -1 : 1));

/** Returns the row of a contact right after its creation. */
const toRow = (workspaceId: string, contact: store.NewContact): store.ContactRow => ({
  ...contact,
  metadata: contact.metadata as store.ContactRow['metadata'],
  identities: inOrder(contact.identities),
  username: contact.username ?? null,
  workspace_id: workspaceId,
  blocked: false,
  version: 1,
  created_at: timeOfUuid(contact.id),
  updated_at: timeOfUuid(contact.id),
});

/** Returns only the fields that differ. The database stores metadata members in its own order. */
function newIn(before: store.ContactRow, change: store.ContactChange): store.ContactChange {
  const { metadata, ...rest } = change;
  return metadata === undefined || isDeepStrictEqual(metadata, before.metadata) ? rest : change;
}

/** Creates contacts. Their addresses must not belong to another contact. */
export async function createContacts(
  unit: Unit,
  workspaceId: string,
  contacts: readonly store.NewContact[],
): Promise<store.ContactRow[]> {
  await store.insertContacts(unit.db, workspaceId, contacts);
  const rows = contacts.map((contact) => toRow(workspaceId, contact));
  await unit.events.writeAll(
    unit,
    rows.map((row) => ({
      workspaceId,
      type: 'contact.created',
      resourceId: publicId('contact', row.id),
      object: presentContact(row),
    })),
  );
  return rows;
}

async function moveIdentities(unit: Unit, workspaceId: string, changes: readonly Change[]): Promise<void> {
  const coming: (store.IdentityRow & { contact_id: string })[] = [];
  for (const { before, identities } of changes) {
    if (!identities) continue;
    const had = new Set(before.identities.map(store.keyOfIdentity));
    const has = new Set(identities.map(store.keyOfIdentity));
    const going = before.identities.filter((one) => !has.has(store.keyOfIdentity(one)));
    await store.deleteIdentities(unit.db, workspaceId, before.id, going);
    await store.releaseAliases(unit.db, workspaceId, going);
    for (const one of identities)
      if (!had.has(store.keyOfIdentity(one))) coming.push({ ...one, contact_id: before.id });
  }
  await store.insertIdentities(unit.db, workspaceId, coming);
}

/**
 * Changes contacts; unchanged ones are skipped and emit no event.
 * @returns the rows afterwards, in the order of `changes`
 */
export async function changeContacts(
  unit: Unit,
  workspaceId: string,
  changes: readonly Change[],
): Promise<store.ContactRow[]> {
  const now = unit.clock();
  const made = changes.map(({ before, change: asked, identities }) => {
    const change = newIn(before, asked);
    const after: store.ContactRow = {
      ...before,
      ...(change as Partial<store.ContactRow>),
      identities: inOrder(identities ?? before.identities),
      updated_at: now,
      version: before.version + 1,
    };
    const object: ContactObject = presentContact(after);
    const previous = changedFields(presentContact(before), object);
    return { before, change, identities, after, object, previous };
  });
  const changed = made.filter(({ previous }) => Object.keys(previous).length > 0);
  await moveIdentities(unit, workspaceId, changed);
  await store.updateContacts(
    unit.db,
    workspaceId,
    changed.map(({ before, change }) => ({ id: before.id, change })),
    now,
  );
  await unit.events.writeAll(
    unit,
    changed.map(({ object, previous }) => ({
      workspaceId,
      type: 'contact.updated',
      resourceId: object.id,
      object,
      previous,
    })),
  );
  return made.map(({ before, after, previous }) => (Object.keys(previous).length ? after : before));
}

/**
 * Removes a contact with its addresses; the caller updates chats and messages.
 * @param erased ID of the event, if only the contact's own ID may be reported
 */
export async function removeContact(
  unit: Unit,
  workspaceId: string,
  row: store.ContactRow,
  erased?: { eventId: string },
): Promise<void> {
  await store.deleteContact(unit.db, workspaceId, row.id);
  const object = presentContact(row);
  await unit.events.write(unit, {
    id: erased?.eventId,
    workspaceId,
    type: 'contact.deleted',
    resourceId: object.id,
    object: erased ? erasedObject(object) : object,
  });
}
