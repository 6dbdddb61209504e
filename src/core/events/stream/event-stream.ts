/**
 * `GET /events/stream`: the log as server-sent events. Begins at the caller's position, resumes with `Last-Event-ID`,
 * skips no event, and ends when the caller may no longer read it (src/core/api/stream.ts). Ephemeral events are sent in
 * between, without an ID (live-events.ts).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkspaceActor } from '../../auth/actor.ts';
import type { Guard } from '../../auth/guard.ts';
import type { Database } from '../../../platform/db/database.ts';
import { invalid, Problem, problemBody } from '../../../platform/http/problem.ts';
import { openAnswer } from '../../api/stream.ts';
import { assertRetained, type WantedOnStream } from '../event.service.ts';
import { follow } from './follower.ts';
import type { LiveEvents } from './live-events.ts';
import type { LiveTail } from './live-tail.ts';
import type { GetPerson } from '../../auth/person-lookup.ts';
import type { EventInterest } from '../wants.ts';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;

export interface StreamDeps {
  db: Database;
  guard: Guard;
  liveTail: LiveTail;
  getPerson: GetPerson;
  liveEvents: Pick<LiveEvents, 'follow'>;
  interest: Pick<EventInterest, 'hold'>;
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
      detail: 'must be the ID of an event of this stream',
    },
  ]);
}

/**
 * Sends the stream; resolves once it has ended.
 * @param wanted types of the log (null for all) and types that are only on the stream
 * @throws Problem sequence_expired, invalid_request; before the stream has begun
 */
export async function streamEvents(
  { db, guard, liveTail, getPerson, liveEvents, interest, baseUrl }: StreamDeps,
  options: {
    request: FastifyRequest;
    reply: FastifyReply;
    actor: WorkspaceActor;
    wanted: WantedOnStream;
    afterSequence: number | null;
    heartbeatMs?: number;
  },
): Promise<void> {
  const { request, reply, actor, wanted, afterSequence, heartbeatMs = HEARTBEAT_MS } = options;
  const { workspaceId } = actor;
  const after = lastEventId(request) ?? afterSequence;
  if (after !== null) await assertRetained(db, workspaceId, after);
  if (!guard.isFresh(actor)) await guard.renew(actor);

  const follower = await follow({ db, liveTail, getPerson }, { workspaceId, after, types: wanted.types });
  const out = openAnswer(reply, {
    guard,
    actor,
    // For proxies that would gather the answer.
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });
  const live = liveEvents.follow(workspaceId, wanted.live, follower.interrupt);
  let releaseInterest = (): void => {};
  try {
    releaseInterest = await interest.hold(workspaceId, wanted.types);
    let emitted = follower.position();
    let beatAt = performance.now() + heartbeatMs;
    let going = await out.write(`retry: ${RETRY_MS}\nid: ${emitted}\n\n`);
    while (going && !out.signal.aborted) {
      const events = await follower.next(Math.max(0, beatAt - performance.now()), out.signal);
      for (const { sequence, text } of events) {
        if (!(going = await out.write(text))) break;
        emitted = sequence;
      }
      for (const text of going ? live.take() : []) if (!(going = await out.write(text))) break;
      if (events.length) beatAt = performance.now() + heartbeatMs;
      if (performance.now() < beatAt || !going || out.signal.aborted) continue;
      beatAt = performance.now() + heartbeatMs;
      // An ID without data moves the reader's position past events that it doesn't see.
      const moved = follower.position() > emitted ? `id: ${(emitted = follower.position())}\n` : '';
      going = await out.write(`: still here\n${moved}\n`);
    }
  } catch (error) {
    if (!(error instanceof Problem)) request.log.warn({ err: error }, 'event stream ended early');
    else if (error.code === 'sequence_expired')
      await out.write(`event: error\ndata: ${JSON.stringify(problemBody(error, request.id, baseUrl))}\n\n`);
  } finally {
    releaseInterest();
    live.leave();
    follower.leave();
    out.end();
  }
}
