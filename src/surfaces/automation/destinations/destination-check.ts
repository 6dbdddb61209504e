/**
 * Checks destinations when they are saved: the referenced objects must exist and the channel must support the content.
 */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { DestinationObject } from './destination.schema.ts';
import type { MessagesPort } from '../ports/ports.ts';
import { isDynamic } from './destination-templates.ts';

/** Returns null for dynamic templates: their values are known only after rendering. */
const plain = (source: string | null): string | null =>
  source === null || isDynamic(source) ? null : source.trim();

/**
 * Checks all destinations against the workspace.
 * @returns all field errors; pointers start with `at` and the index of the destination: `/destinations/0/instance_id`
 */
export async function checkDestinations(
  unit: ReadUnit,
  messages: Pick<MessagesPort, 'checkPlaces'>,
  workspaceId: string,
  destinations: readonly DestinationObject[],
  at: string,
): Promise<FieldError[]> {
  const fieldErrors = await messages.checkPlaces(
    unit,
    workspaceId,
    destinations.map(({ instance_id, to, contact_id, chat_id, group_id, type, subject, thread_id }) => ({
      instance_id,
      to: plain(to),
      contact_id,
      chat_id,
      group_id,
      type: plain(type),
      hasSubject: plain(subject) !== null,
      threadId: plain(thread_id ?? null) || null,
    })),
  );
  return fieldErrors.flatMap((own, nth) =>
    own.map((fieldError) => ({ ...fieldError, pointer: `${at}/${nth}${fieldError.pointer}` })),
  );
}
