/**
 * Gives up responses that nobody reads: their connection is closed, which ends what they come from, such as the stream of a
 * model provider. Progress decides, not the time in all: who reads slowly gets everything. So does who waits for a response
 * that has nothing to send.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long the network may take no byte of a response. Longer than a phone is without a network on its way, and than a
 * debugger stands still; a response that is kept for less costs little.
 */
export const UNREAD_MS = 120_000;

/** For sockets whose bytes the network does not take: Node itself waits on while a large piece is being taken. */
function cut(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/** Ends after `unreadMs`, or twice that for a piece that was taken in part. Until the next request of the connection. */
export function cutUnread(response: ServerResponse, unreadMs: number): void {
  response.setTimeout(unreadMs);
  response.on('timeout', cut);
}
