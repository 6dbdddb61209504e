/** The header Vary, which several parts of an answer add to. */
import type { FastifyReply } from 'fastify';

/** @param names of request headers, with commas between */
export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  void reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`);
}
