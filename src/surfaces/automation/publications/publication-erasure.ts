/**
 * Erases a contact from publications. Publications that were sent to the contact, or whose input contains one of its
 * IDs or addresses, lose their input. Pending messages to the contact are not sent; those to others are. Each
 * publication is a transaction of its own. Idempotent.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { FIRST_UUID, firstUuidAt } from '../../../platform/db/uuid-time.ts';
import {
  getPrefilterTerms,
  type ErasedPerson,
  getLoosePatterns,
  type PersonalData,
  getPersonalData,
} from '../../../core/events/erasure/person.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type JobTurn, type Step, walkInTurn } from '../../../platform/jobs/turn.ts';
import type { MessageBody } from '../ports/ports.ts';
import { afterResults } from './engine/outcome.ts';
import { completePublications } from './engine/complete.store.ts';
import { isWaiting, moveTo } from './records/publication-state.ts';
import * as publications from './records/publication.store.ts';
import * as store from './publication-erasure.store.ts';
import { recordRequest } from './records/receive.store.ts';

const WINDOW = 1_000;

const isRecipient = ({ ids, addresses }: PersonalData, instanceId: unknown, recipient: unknown): boolean =>
  typeof recipient === 'string' &&
  (ids.has(recipient) || (addresses.get(recipient)?.has(String(instanceId)) ?? false));

const isAddressedTo = (traces: PersonalData, body: MessageBody): boolean =>
  ['to', 'contact_id', 'chat_id'].some((name) => isRecipient(traces, body['instance_id'], body[name]));

async function eraseOne(unit: Unit, workspaceId: string, id: string, traces: PersonalData): Promise<void> {
  const row = await publications.lockPublication(unit.db, workspaceId, id);
  if (!row) return;
  const { results, ...before } = row;
  const now = unit.clock();
  const input = await publications.getInput(unit.db, workspaceId, id);
  const messages = input?.messages.map((body) => (body && isAddressedTo(traces, body) ? null : body)) ?? [];
  const faults = Object.entries(input?.faults ?? {}).filter(
    ([, fault]) => !isRecipient(traces, fault.instance_id, fault.to),
  );
  const personal = results.filter((one) =>
    isRecipient(traces, publicId('instance', one.instance_id), one.recipient),
  );
  if (isWaiting(row.status)) {
    if (!faults.length && messages.every((body) => body === null)) {
      const status = moveTo(row.status, 'canceled');
      const after = { ...before, status, reason: 'contact_erased', finished_at: now, updated_at: now };
      const others = row.status === 'received' ? [recordRequest(after)] : [];
      await completePublications(unit, [{ before, after, results, changed: [] }], others);
    }
  } else if (personal.some(({ next_attempt_at: at }) => at !== null)) {
    const untried = results.map((one) => (personal.includes(one) ? { ...one, next_attempt_at: null } : one));
    const changed = untried.filter((one, nth) => one !== results[nth]);
    await completePublications(unit, [
      { before, after: afterResults(before, untried, now), results: untried, changed },
    ]);
  }
  const left = { messages, faults: input?.faults ? Object.fromEntries(faults) : null };
  await store.clearInput(unit.db, workspaceId, id, left);
  const positions = personal.map(({ position }) => position);
  await store.emptyRest(unit.db, workspaceId, { id, endpointId: row.endpoint_id, positions });
}

/** Erases publications received before the erasure. */
export function erasePublicationsFor(units: Units, person: ErasedPerson, turn: JobTurn): Step {
  const { workspaceId, identities, erasedAt } = person;
  const traces = getPersonalData(person);
  const who = {
    recipients: [...traces.ids],
    identities,
    anchors: getPrefilterTerms(traces),
    patterns: getLoosePatterns(traces),
  };
  const below = firstUuidAt(new Date(erasedAt.getTime() + 1));
  const eraseWindow = async (after: string): Promise<string | undefined> => {
    const scanned = await store.scan(units.read.db, workspaceId, { after, below }, who, WINDOW);
    for (const { id, hit } of scanned)
      if (hit) await units.write((unit) => eraseOne(unit, workspaceId, id, traces));
    return scanned.length < WINDOW ? undefined : scanned.at(-1)!.id;
  };
  return {
    name: 'publications',
    perform: (position) => walkInTurn(turn, position || FIRST_UUID, eraseWindow),
  };
}
