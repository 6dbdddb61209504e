/** Threads of a chat, on channels with `thread_ids`: which ones its messages are in, and which one an answer goes to. */
import type { Message } from '../../api/types.ts';

/** ID of a thread; null is the chat outside of its threads. */
export type ThreadId = Message['thread_id'];

/** Returns the threads of messages, newest first. @param messages newest first */
export const getThreads = (messages: readonly Message[]): ThreadId[] => [
  ...new Set(messages.map(({ thread_id: id }) => id)),
];

/** Returns the thread of the last received message, or of the last one if none was received. @param messages newest first */
export function getLastThread(messages: readonly Message[]): ThreadId {
  const last = messages.find(({ direction }) => direction === 'inbound') ?? messages[0];
  return last?.thread_id ?? null;
}
