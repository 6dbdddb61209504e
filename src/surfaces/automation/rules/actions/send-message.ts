/** The action `send_message`: like `POST /messages`, in the transaction that records the step. */
import type { Unit } from '../../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import type { MessageBody, MessagesPort, OutgoingMessage } from '../../ports/ports.ts';
import { done, failedBy, type StepOutcome } from '../../ports/outcome.ts';

/** Checks file URLs before the transaction; null if there is no objection. */
export async function findRejection(
  messages: Pick<MessagesPort, 'refusedUrls'>,
  body: MessageBody,
): Promise<StepOutcome | null> {
  const [rejected] = await messages.refusedUrls([body]);
  return rejected ? failedBy(rejected) : null;
}

/**
 * Sends the message.
 * @param ruleId public ID
 * @returns the outcome, and the public IDs of all messages that were created
 */
export async function sendMessage(
  unit: Unit,
  messages: Pick<MessagesPort, 'accept' | 'wake'>,
  workspaceId: string,
  ruleId: string,
  outgoing: OutgoingMessage,
): Promise<{ outcome: StepOutcome; made: string[] }> {
  const [accepted] = await messages.accept(unit, workspaceId, { id: ruleId, source: 'rule' }, [outgoing]);
  if (accepted instanceof Problem) return { outcome: failedBy(accepted), made: [] };
  const { id, status, instanceId, earlier } = accepted!;
  unit.afterCommit(() => messages.wake([instanceId]));
  return { outcome: done({ message_id: id, status }), made: [...earlier, id] };
}
