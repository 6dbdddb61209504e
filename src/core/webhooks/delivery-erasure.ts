/**
 * Erases an erased contact in webhooks: texts of attempts for its events, and inspector requests that received those,
 * name it by an ID or address, or can't be decrypted. Call after the log was redacted; idempotent.
 */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { type JobTurn, type Step, walkInTurn } from '../../platform/jobs/turn.ts';
import { FIRST_UUID } from '../../platform/db/uuid-time.ts';
import { listErasedAfter, findErasedAmong } from '../events/erasure/erasure.store.ts';
import {
  type ErasedPerson,
  isMentionedIn,
  type PersonalData,
  getPersonalData,
} from '../events/erasure/person.ts';
import { toUuid } from '../vocabulary/ids.ts';
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

/** @returns the position behind the window; undefined at the end */
async function emptyAttempts(db: Database, person: ErasedPerson, after: string): Promise<string | undefined> {
  const ids = await listErasedAfter(db, person, after, EVENTS);
  await store.emptyAttempts(db, person.workspaceId, ids);
  return ids.at(-1);
}

/** @returns null where it does not open */
function getHead(secrets: SecretBox, workspaceId: string, row: store.InspectedRow): Head | null {
  try {
    return openHead(secrets, workspaceId, row.id, row.head_sealed);
  } catch {
    return null; // passed to `deleteUnopened`
  }
}

/** @returns the position behind the window, an inspector's ID and a number; undefined at the end */
async function deleteInspected(
  { db, secrets, deleteUnopened }: DeliveryErasureDeps,
  person: ErasedPerson,
  traces: PersonalData,
  position: string,
): Promise<string | undefined> {
  const { workspaceId } = person;
  const values = [...traces.addresses.keys()].map((one) => JSON.stringify(one));
  const [inspectorId = FIRST_UUID, number = '0'] = position.split(' ');
  const after = { inspector_id: inspectorId, number: Number(number) };
  const rows = await store.inspectedAfter(db, workspaceId, after, REQUESTS);
  if (!rows.length) return undefined;
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
  const last = rows.at(-1)!;
  return `${last.inspector_id} ${last.number}`;
}

export interface DeliveryErasureDeps {
  db: Database;
  secrets: SecretBox;
  deleteUnopened: DeleteUnopened;
}

/** Steps of one turn. Each may run again, and throws the errors of `deleteUnopened`. */
export function eraseDeliveriesFor(deps: DeliveryErasureDeps, person: ErasedPerson, turn: JobTurn): Step[] {
  const traces = getPersonalData(person);
  return [
    {
      name: 'attempts',
      perform: (position) =>
        walkInTurn(turn, position || FIRST_UUID, (after) => emptyAttempts(deps.db, person, after)),
    },
    {
      name: 'inspectors',
      perform: (position) =>
        walkInTurn(turn, position || FIRST_UUID, (at) => deleteInspected(deps, person, traces, at)),
    },
  ];
}
