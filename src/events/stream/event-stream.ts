/**
 * `GET /events/stream`: the log as server-sent events. Begins where the caller says, resumes by `Last-Event-ID`,
 * misses none, and ends with the right of the caller to read it (http/stream.ts).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkspaceActor } from '../../auth/actor.ts';
import type { Guard } from '../../auth/guard.ts';
import type { Database } from '../../db/database.ts';
import { invalid, Problem, problemBody } from '../../http/problem.ts';
import { openAnswer } from '../../http/stream.ts';
import type { EventType } from '../catalogue.ts';
import { assertKept } from '../event.service.ts';
import { follow } from './follower.ts';
import type { LiveTail } from './live-tail.ts';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;

export interface StreamDeps {
  db: Database;
  guard: Guard;
  liveTail: LiveTail;
  baseUrl: string;
}

/** @throws Problem invalid_request */
function lastEventId(request: FastifyRequest): number | null {
  const given = request.headers['last-event-id'];
  if (given === undefined || given === '') return null;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  throw invalid([
    {
      pointer: 'Last-Event-ID',
      code: 'invalid_sequence',
      detail: 'must be the id of an event of this stream',
    },
  ]);
}

/**
 * Answers with the stream; resolves once it is over.
 * @param types null for all
 * @throws Problem sequence_expired, invalid_request; before the stream has begun
 */
export async function streamEvents(
  { db, guard, liveTail, baseUrl }: StreamDeps,
  options: {
    request: FastifyRequest;
    reply: FastifyReply;
    actor: WorkspaceActor;
    types: EventType[] | null;
    afterSequence: number | null;
    heartbeatMs?: number;
  },
): Promise<void> {
  const { request, reply, actor, types, afterSequence, heartbeatMs = HEARTBEAT_MS } = options;
  const { workspaceId } = actor;
  const after = lastEventId(request) ?? afterSequence;
  if (after !== null) await assertKept(db, workspaceId, after);
  if (!guard.isFresh(actor)) await guard.renew(actor);

  const follower = await follow({ db, liveTail }, { workspaceId, after, types });
  const out = openAnswer(reply, {
    guard,
    actor,
    // For proxies that would gather the answer.
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
  try {
    let told = follower.position();
    let going = await out.write(`retry: ${RETRY_MS}\nid: ${told}\n\n`);
    while (going && !out.signal.aborted) {
      const events = await follower.next(heartbeatMs, out.signal);
      for (const { sequence, text } of events) {
        if (!(going = await out.write(text))) break;
        told = sequence;
      }
      if (events.length || out.signal.aborted) continue;
      // An id without data moves the reader's position past what it doesn't see.
      const moved = follower.position() > told ? `id: ${(told = follower.position())}\n` : '';
      going = await out.write(`: still here\n${moved}\n`);
    }
  } catch (error) {
    if (!(error instanceof Problem)) request.log.warn({ err: error }, 'event stream ended early');
    else if (error.code === 'sequence_expired')
      await out.write(`event: error\ndata: ${JSON.stringify(problemBody(error, request.id, baseUrl))}\n\n`);
  } finally {
    follower.leave();
    out.end();
  }
}
