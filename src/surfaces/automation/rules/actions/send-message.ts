/** The action `send_message`: like `POST /messages`, in the transaction that records the step. */
import type { Unit } from '../../../../core/unit-of-work.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import type { MessageBody, MessagesPort } from '../../ports.ts';
import { done, failedBy, type StepOutcome } from '../../outcome.ts';

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
 */
export async function sendMessage(
  unit: Unit,
  messages: Pick<MessagesPort, 'accept' | 'wake'>,
  workspaceId: string,
  ruleId: string,
  body: MessageBody,
): Promise<StepOutcome> {
  const [accepted] = await messages.accept(unit, workspaceId, { id: ruleId, source: 'rule' }, [body]);
  if (accepted instanceof Problem) return failedBy(accepted);
  const { id, status, instanceId } = accepted!;
  unit.afterCommit(() => messages.wake([instanceId]));
  return done({ message_id: id, status });
}
