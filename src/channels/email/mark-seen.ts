/** Marks messages that were read in Fairlead as read in the mailbox. */
import type { ImapFlow, SearchObject } from 'imapflow';

/** Marks a mail and all earlier mails of its thread. */
export async function markSeen(
  client: ImapFlow,
  folder: string,
  root: string | null,
  messageId: string,
): Promise<void> {
  const lock = await client.getMailboxLock(folder);
  try {
    const found = await client.search({ header: { 'message-id': `<${messageId}>` } }, { uid: true });
    const last = (found || []).at(-1);
    if (last === undefined) return;
    const ids = root ?? messageId;
    const ofThread: SearchObject = {
      or: [{ header: { 'message-id': `<${ids}>` } }, { header: { references: `<${ids}>` } }],
    };
    const before = await client.search({ uid: `1:${last}`, seen: false, ...ofThread }, { uid: true });
    const uids = [...new Set([...(before || []), last])];
    await client.messageFlagsAdd(uids.join(','), ['\\Seen'], { uid: true });
  } finally {
    lock.release();
  }
}
