/**
 * Erases an erased contact in webhooks: texts of attempts for its events, and inspector requests that received those,
 * name it by an ID or address, or can't be decrypted. Call after the log was redacted; idempotent.
 */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Units } from '../unit-of-work.ts';
import { FIRST_UUID } from '../../platform/db/uuid-time.ts';
import { listErasedAfter, findErasedAmong } from '../events/erasure/erasure.store.ts';
import { type ErasedPerson, isMentionedIn, getPersonalData } from '../events/erasure/person.ts';
import { toUuid } from '../../platform/http/ids.ts';
import * as store from './delivery-erasure.store.ts';
import { type Head, openHead } from './inspector-request.service.ts';

const EVENTS = 500;
/** Few, since each may have a body of 256 KiB. */
const REQUESTS = 100;

/** Deletes requests that no available secret decrypts. @throws if another server may decrypt one */
export type DeleteUnopened = (
  workspaceId: string,
  heads: readonly Pick<store.InspectedRow, 'id' | 'head_sealed'>[],
) => Promise<void>;

async function emptyAttempts(units: Units, person: ErasedPerson, signal?: AbortSignal): Promise<void> {
  const { db } = units.read;
  for (let after = FIRST_UUID; ;) {
    signal?.throwIfAborted();
    const ids = await listErasedAfter(db, person, after, EVENTS);
    if (!ids.length) return;
    await store.emptyAttempts(db, person.workspaceId, ids);
    after = ids.at(-1)!;
  }
}

/** @returns null where it does not open */
function getHead(secrets: SecretBox, workspaceId: string, row: store.InspectedRow): Head | null {
  try {
    return openHead(secrets, workspaceId, row.id, row.head_sealed);
  } catch {
    return null; // it is given to `deleteUnopened`
  }
}

async function deleteInspected(
  units: Units,
  secrets: SecretBox,
  deleteUnopened: DeleteUnopened,
  person: ErasedPerson,
  signal?: AbortSignal,
): Promise<void> {
  const { db } = units.read;
  const { workspaceId } = person;
  const traces = getPersonalData(person);
  const values = [...traces.addresses.keys()].map((one) => JSON.stringify(one));
  for (let after = { inspector_id: FIRST_UUID, number: 0 }; ;) {
    signal?.throwIfAborted();
    const rows = await store.inspectedAfter(db, workspaceId, after, REQUESTS);
    if (!rows.length) return;
    const unopened: store.InspectedRow[] = [];
    const opened = rows.flatMap((row) => {
      const head = getHead(secrets, workspaceId, row);
      if (!head) {
        unopened.push(row);
        return [];
      }
      const eventId = head.headers.find(([name]) => name.toLowerCase() === 'webhook-id')?.[1] ?? '';
      const text = `${row.path} ${head.query} ${JSON.stringify(head.headers)} ${row.body.toString()}`;
      return { id: row.id, text, eventId: toUuid('event', eventId) };
    });
    await deleteUnopened(workspaceId, unopened);
    const about = await findErasedAmong(
      db,
      person,
      opened.flatMap(({ eventId }) => eventId ?? []),
    );
    const going = opened.filter(
      ({ text, eventId }) =>
        (eventId !== null && about.has(eventId)) ||
        isMentionedIn(text, traces) ||
        values.some((value) => text.includes(value)),
    );
    await store.deleteInspected(
      db,
      workspaceId,
      going.map(({ id }) => id),
    );
    after = rows.at(-1)!;
  }
}

/** @throws where `signal` ends it early; what `deleteUnopened` throws */
export async function eraseDeliveriesFor(
  units: Units,
  secrets: SecretBox,
  deleteUnopened: DeleteUnopened,
  person: ErasedPerson,
  signal?: AbortSignal,
): Promise<void> {
  await emptyAttempts(units, person, signal);
  await deleteInspected(units, secrets, deleteUnopened, person, signal);
}
