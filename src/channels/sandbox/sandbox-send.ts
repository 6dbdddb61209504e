/** Sends a message: the server accepts it once together with the scripted replies, then the requested fault applies. */
import { type OutboundMessage, type SendResult } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { isGroupAddress } from './account/group-address.ts';
import { createScriptedGroup } from './groups/create-group.ts';
import { sendToGroup } from './groups/group-send.ts';
import { getGroupCommand } from './account/sandbox-replies.ts';
import { asInbound, uploadFile } from './account/sandbox-outbound.ts';
import { SANDBOX_CAPABILITIES } from './account/sandbox-capabilities.ts';
import { findFault } from './account/sandbox-faults.ts';
import { isAccount } from './account/sandbox-file.system-store.ts';
import { applyFault, rejectTemporarily } from './account/apply-fault.ts';
import { getSteps } from './account/sandbox-script.ts';
import { atServer, type Session } from './account/sandbox-session.ts';
import { writeSignals } from './account/sandbox-signal.ts';

export async function sendToServer(
  session: Session,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  if (message.chat.kind === 'group') return sendToGroup(session, message, signal);
  assertWithinLimits(SANDBOX_CAPABILITIES, message);
  const { server, self, settings, sender } = session;
  const { address: to } = message.chat;
  if (isGroupAddress(to))
    throw new DriverError('rejected', 'unsupported_chat', 'This is the address of a group.');
  const fault = findFault(to);
  if (fault === 'fail')
    throw new DriverError('rejected', 'recipient_unknown', `The sandbox has no recipient ${to}.`);
  const acceptance = await atServer(session, signal, async () => {
    if (fault) await rejectTemporarily(session, message.clientId, fault);
    const isWanted = () => isAccount(server.db, sender, to);
    const size = await uploadFile(session, message, isWanted, signal);
    const word = fault === null && settings.replies ? getGroupCommand(message) : null;
    const invitation = word === null ? undefined : await createScriptedGroup(session, message, word);
    const now = new Date();
    return server.batch.accept({
      ...sender,
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
  server.inbox.wake();
  if (acceptance.isNew && acceptance.recipientId !== null && !server.inbox.holds(acceptance.recipientId))
    server.notifyOtherNodes();
  if (fault) await applyFault(session, fault, acceptance.isNew, signal);
  return { externalId: message.clientId, status: 'sent', at: acceptance.acceptedAt };
}
