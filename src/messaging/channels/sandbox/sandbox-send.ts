/** Sending a message: taken once by the server, with what comes of it, and then the fault that its address asks for. */
import { setTimeout as delay } from 'node:timers/promises';
import { type OutboundMessage, type SendResult } from '../connection.ts';
import { DriverError } from '../driver-error.ts';
import { assertWithinLimits } from '../limits.ts';
import { deleteSession } from './sandbox-account.system-store.ts';
import { SANDBOX_CAPABILITIES } from './sandbox-capabilities.ts';
import { type Fault, faultOf, HELD_MS, SLOW_MS } from './sandbox-faults.ts';
import { isAccount, saveFile } from './sandbox-file.system-store.ts';
import { tellSelf } from './sandbox-inbox.system-store.ts';
import { stepsOf } from './sandbox-script.ts';
import { holdMessage, type Taken } from './sandbox-sent.system-store.ts';
import { assertDirect, atServer, orGivenUp, type Session } from './sandbox-session.ts';
import { type FileOnItsWay, type StoredMessage, writeSignals } from './sandbox-signal.ts';

/** The message as another account is told it. It has the id that its sender chose. */
function asInbound({ self, context, teller }: Session, message: OutboundMessage, now: Date): StoredMessage {
  const { clientId, chat, type, content, replyTo } = message;
  const { file } = content;
  const onItsWay: FileOnItsWay | null = file && {
    from: 'sender',
    instanceId: teller.instanceId,
    clientId,
    fileName: file.fileName,
    mimeType: file.mimeType,
  };
  const quoted = replyTo && (replyTo.externalId ?? replyTo.clientId);
  return {
    kind: 'message',
    externalId: clientId,
    chat: { kind: 'direct', key: self, address: self, title: context.name },
    from: self,
    fromName: context.name,
    fromMe: false,
    to: chat.address,
    type,
    text: content.text,
    file: onItsWay,
    data: content.data,
    subject: message.subject,
    replyTo: quoted ? { externalId: quoted } : null,
    mentions: [...message.mentions],
    at: now,
  };
}

/** `busy@` and `limit@` refuse for a time that begins with the first try. */
async function refuseForNow(session: Session, message: OutboundMessage, fault: Fault): Promise<void> {
  const ms = HELD_MS[fault];
  if (ms === undefined) return;
  const { db, post } = session.server;
  const left = await holdMessage(db, { ...session.teller, clientId: message.clientId }, ms);
  if (left === 0) return;
  if (fault === 'busy')
    throw new DriverError('busy', 'try_again', 'The sandbox is asked to refuse this for now.', {
      retryAfterMs: left,
    });
  const until = new Date(Date.now() + left);
  await tellSelf(db, session.teller, left, writeSignals([{ kind: 'limit', restriction: null }]));
  post.wake();
  throw new DriverError('restricted', 'rate_limited', 'The sandbox is asked to limit the account.', {
    until,
  });
}

/** Brings the file's bytes to the server: all of them, whoever they are for. @returns how many */
async function bringFile(session: Session, message: OutboundMessage, signal: AbortSignal): Promise<number> {
  const { file } = message.content;
  if (!file) return 0;
  const { db } = session.server;
  const source = await file.open();
  const bytes = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (signal.aborted) throw new DriverError('lost', 'aborted', 'It was given up.');
      size += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  let size = 0;
  try {
    if (await isAccount(db, session.teller, message.chat.address))
      await saveFile(db, session.teller, message.clientId, bytes());
    else for await (const chunk of bytes()) void chunk;
  } finally {
    source.destroy();
  }
  return size;
}

/** What happens after the message was taken. */
async function misbehave(
  session: Session,
  fault: Fault,
  { isNew }: Taken,
  signal: AbortSignal,
): Promise<void> {
  if (fault === 'never') await orGivenUp(new Promise<never>(() => undefined), signal);
  // What was sent again is acknowledged like any other: it had been taken.
  if (!isNew) return;
  const unknown = new DriverError(
    'unknown',
    'no_acknowledgement',
    'The sandbox is asked not to say what became of it.',
  );
  if (fault === 'slow')
    await orGivenUp(
      delay(SLOW_MS, undefined, { signal }).catch(() => undefined),
      signal,
    );
  if (fault === 'deaf') session.isDeaf = true;
  if (fault === 'unknown') throw unknown;
  if (fault === 'drop') {
    session.end(
      new DriverError('lost', 'connection_dropped', 'The sandbox is asked to drop the connection.'),
    );
    throw unknown;
  }
  if (fault === 'logout') {
    await deleteSession(session.server.db, session.teller);
    session.end(new DriverError('refused', 'logged_out', 'The sandbox is asked to log the account out.'));
    throw unknown;
  }
}

export async function sendToServer(
  session: Session,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  assertDirect(message.chat);
  assertWithinLimits(SANDBOX_CAPABILITIES, message);
  const { server, self, settings, teller } = session;
  const { address: to } = message.chat;
  const fault = faultOf(to);
  if (fault === 'fail')
    throw new DriverError('rejected', 'recipient_unknown', `There is nobody at ${to} in the sandbox.`);
  const taken = await atServer(session, signal, async () => {
    if (fault) await refuseForNow(session, message, fault);
    const size = await bringFile(session, message, signal);
    const now = new Date();
    return server.batch.take({
      ...teller,
      clientId: message.clientId,
      to,
      toAccount: writeSignals([asInbound(session, message, now)]),
      steps: stepsOf({ message, size, self, fault, replies: settings.replies, now }),
    });
  });
  server.post.wake();
  if (taken.isNew && taken.recipientId !== null && !server.post.holds(taken.recipientId)) server.tellOthers();
  if (fault) await misbehave(session, fault, taken, signal);
  return { externalId: message.clientId, status: 'sent', at: taken.takenAt };
}
