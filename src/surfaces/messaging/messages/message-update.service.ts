/** Editing messages: text, time, metadata. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch } from '../../../platform/http/etag.ts';
import { type FieldError, invalid, Problem } from '../../../platform/http/problem.ts';
import type { MessageType } from '../../../channels/contract/capabilities.ts';
import { lockWaiting } from '../records/queue-row.store.ts';
import { checkOperation, checkText } from '../records/capability-check.ts';
import {
  ask,
  assertOwn,
  assertWithChannel,
  assertWithin,
  change,
  type ChangeDeps,
  type Changed,
  lock,
  lockOrderFor,
  read,
  speaking,
} from './message-change.ts';
import { searchTextFor } from '../records/message-content.ts';
import { toFieldProblem } from '../records/message-problems.ts';
import { readSchedule } from './message-input.ts';
import type { UpdateMessageBody } from './message-input.schema.ts';
import { show } from './message.service.ts';
import { isWaiting } from '../records/message-status.ts';
import * as store from '../records/message.store.ts';

const FIELDS = {
  text: 'body',
  image: 'caption',
  video: 'caption',
  audio: 'caption',
  document: 'caption',
} as const;
type Editable = keyof typeof FIELDS;

/** The new text, which must stand under the message's own type. @returns null if none was given */
function readText(body: UpdateMessageBody, row: store.MessageRow): { text: string; pointer: string } | null {
  const given = (Object.keys(FIELDS) as Editable[]).filter((type) => body[type] !== undefined);
  const faults: FieldError[] = given
    .filter((type) => type !== row.type)
    .map((type) => ({ pointer: `/${type}`, code: 'unexpected', detail: `the type is ${row.type}` }));
  if (faults.length) throw invalid(faults);
  const [type] = given;
  if (!type) return null;
  const field = FIELDS[type];
  const text = (body[type] as unknown as Record<string, string>)[field]!;
  return { text, pointer: `/${type}/${field}` };
}

function edited(row: store.MessageRow, text: string): store.MessageChange {
  const content = Object.assign({}, row.content, { [FIELDS[row.type as Editable]]: text });
  return { content, search_text: searchTextFor(row.type, content, row.subject) };
}

/**
 * Changes text, time or metadata.
 * @throws Problem invalid_request, not_found, conflict, precondition_failed, instance_disconnected, unsupported_by_channel, unprocessable
 */
export async function updateMessage(
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  id: string,
  body: UpdateMessageBody,
  ifMatch: IfMatch,
): Promise<Changed> {
  const given = readText(body, await read(unit, workspaceId, id));
  await lockOrderFor(unit, workspaceId, id);
  const waits = await lockWaiting(unit.db, workspaceId, id);
  const row = await lock(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'message');
  const columns: store.MessageChange = body.metadata ? { metadata: body.metadata } : {};

  if (body.scheduled_at !== undefined) {
    const at = readSchedule(body.scheduled_at, unit.clock()) ?? unit.clock();
    if (row.status !== 'scheduled' || !(await store.reschedule(unit.db, workspaceId, id, at)))
      throw new Problem('conflict', `The message is ${row.status}, not scheduled.`);
    columns.scheduled_at = at;
  }
  const isInPlace = waits && isWaiting(row.status);
  if (given) await assertMayEdit(unit, deps, row, given, isInPlace);
  if (given && isInPlace) Object.assign(columns, edited(row, given.text));
  const changed = Object.keys(columns).length
    ? await change(unit, row, columns, 'message.edited')
    : show(row);
  if (!given || isInPlace) return { ...changed, isPending: false };
  const { instance } = await speaking(unit, deps, row);
  return ask(unit, row, instance, 'edit', { text: given.text });
}

/** @throws Problem conflict, unprocessable, instance_disconnected, unsupported_by_channel */
async function assertMayEdit(
  unit: Unit,
  deps: ChangeDeps,
  row: store.MessageRow,
  { text, pointer }: { text: string; pointer: string },
  isInPlace: boolean,
): Promise<void> {
  if (!isInPlace) {
    assertOwn(row);
    assertWithChannel(row);
  }
  const { capabilities } = await speaking(unit, deps, row);
  const faults = [
    checkText(capabilities, row.type as MessageType, text, pointer),
    isInPlace ? null : checkOperation(capabilities, 'edit', pointer),
  ].filter((fault) => fault !== null);
  if (faults.length) throw toFieldProblem(faults);
  if (!isInPlace) assertWithin(row, capabilities.limits.editWithin, 'edit_within', unit.clock());
}
