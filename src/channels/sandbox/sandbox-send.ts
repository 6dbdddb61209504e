/** Sending a message: taken once by the server, with what comes of it, and then the fault that its address asks for. */
import { type OutboundMessage, type SendResult } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { isGroupAddress } from './groups/group-address.ts';
import { makeGroupFor } from './groups/group-making.ts';
import { sendToGroup } from './groups/group-send.ts';
import { groupWord } from './sandbox-replies.ts';
import { asInbound, bringFile } from './sandbox-carry.ts';
import { SANDBOX_CAPABILITIES } from './sandbox-capabilities.ts';
import { findFault } from './sandbox-faults.ts';
import { isAccount } from './sandbox-file.system-store.ts';
import { misbehave, refuseForNow } from './sandbox-misbehaviour.ts';
import { getSteps } from './sandbox-script.ts';
import { atServer, type Session } from './sandbox-session.ts';
import { writeSignals } from './sandbox-signal.ts';

export async function sendToServer(
  session: Session,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  if (message.chat.kind === 'group') return sendToGroup(session, message, signal);
  assertWithinLimits(SANDBOX_CAPABILITIES, message);
  const { server, self, settings, teller } = session;
  const { address: to } = message.chat;
  if (isGroupAddress(to))
    throw new DriverError('rejected', 'unsupported_chat', 'That is the address of a group.');
  const fault = findFault(to);
  if (fault === 'fail')
    throw new DriverError('rejected', 'recipient_unknown', `There is nobody at ${to} in the sandbox.`);
  const taken = await atServer(session, signal, async () => {
    if (fault) await refuseForNow(session, message.clientId, fault);
    const isWanted = () => isAccount(server.db, teller, to);
    const size = await bringFile(session, message, isWanted, signal);
    const word = fault === null && settings.replies ? groupWord(message) : null;
    const invitation = word === null ? undefined : await makeGroupFor(session, message, word);
    const now = new Date();
    return server.batch.take({
      ...teller,
      clientId: message.clientId,
      to,
      toAccount: writeSignals([asInbound(session, message, now)]),
      steps: getSteps({
        message,
        size,
        self,
        fault,
        replies: settings.replies,
        now,
        ...(invitation === undefined ? {} : { invitation }),
      }),
    });
  });
  server.post.wake();
  if (taken.isNew && taken.recipientId !== null && !server.post.holds(taken.recipientId)) server.tellOthers();
  if (fault) await misbehave(session, fault, taken.isNew, signal);
  return { externalId: message.clientId, status: 'sent', at: taken.takenAt };
}
