/** Reactions that the instance gives. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import { askChannel, type ChangeDeps, type Changed, read } from './message-change.ts';
import { toFieldProblem } from '../records/message-problems.ts';
import { idIn } from './message-input.ts';
import type { SendMessageBody } from './message-input.schema.ts';

const OTHERS = [
  'to',
  'contact_id',
  'chat_id',
  'group_id',
  'subject',
  'reply_to',
  'scheduled_at',
  'mentions',
  'metadata',
] as const satisfies (keyof SendMessageBody)[];

/**
 * Adds the instance's reaction to a message, or removes it.
 * @param emoji null removes the reaction
 * @throws Problem not_found, conflict, instance_disconnected, unsupported_by_channel, not_in_group
 */
export const reactToMessage = (
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  id: string,
  emoji: string | null,
): Promise<Changed> => askChannel(unit, deps, workspaceId, id, 'react', 'react', { emoji });

/** Sends a message of type `reaction`. The recipient follows from the message reacted to. */
export async function sendReaction(
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  body: SendMessageBody,
): Promise<Changed> {
  const given = body.reaction as { message_id: string; emoji: string } | undefined;
  const faults: FieldError[] = [];
  if (!given)
    faults.push({ pointer: '/reaction', code: 'required', detail: 'is required if type is reaction' });
  const id = given ? idIn('message', given.message_id, '/reaction/message_id', faults) : null;
  const instanceId = idIn('instance', body.instance_id, '/instance_id', faults);
  for (const name of OTHERS)
    if (body[name] !== undefined && body[name] !== null)
      faults.push({
        pointer: `/${name}`,
        code: 'unexpected',
        detail: 'a reaction has none: it goes where its message is',
      });
  if (faults.length) throw invalid(faults);
  const row = await read(unit, workspaceId, id!);
  if (row.instance_id !== instanceId)
    throw toFieldProblem([
      {
        pointer: '/reaction/message_id',
        code: 'other_instance',
        detail: 'is not a message of this instance',
      },
    ]);
  return reactToMessage(unit, deps, workspaceId, id!, given!.emoji);
}
