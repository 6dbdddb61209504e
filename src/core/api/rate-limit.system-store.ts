/**
 * The bucket of a key, shared by all nodes. `holds` has the tokens that each node has drawn ahead and may still spend.
 * Holds that a node doesn't settle in time are dropped, so a node that dies loses only those tokens.
 *
 * Invariant: tokens in the bucket and in live holds together never exceed `burst`, and they grow by `limit` per minute,
 * so at most limit + burst calls pass in any minute. The time at which a node spends its hold is not known: until it is
 * settled or dropped, the bucket refills as if all of it were unspent.
 */
import { sql } from 'kysely';
import type { RateLimit } from '../auth/actor.ts';
import type { Database, Db } from '../../platform/db/database.ts';

/** Longer than a node keeps drawn tokens (rate-limit.ts): after this it holds none. */
export const HELD_AT_MOST_SECONDS = 1.5;

export interface Draw {
  /** Which node draws; it has one hold at most. */
  node: string;
  /** Tokens to spend immediately. */
  needed: number;
  /** Tokens beside those, to be spent within HELD_AT_MOST_SECONDS. */
  ahead: number;
  /** The node's unused tokens: returned to the bucket, unless it was deleted in the meantime. */
  unused: number;
}

/** Deletes a bucket. Tokens that nodes still hold are discarded. */
export async function dropBucket(db: Db, keyId: string): Promise<void> {
  await sql`delete from rate_buckets where key_id = ${keyId}`.execute(db);
}

/**
 * Settles the node's hold, and draws whole tokens: first those needed, then those ahead.
 * @returns the tokens granted, and those left in the bucket (fractional)
 */
export async function drawTokens(
  db: Database,
  keyId: string,
  { limit, burst }: RateLimit,
  { node, needed, ahead, unused }: Draw,
): Promise<{ granted: number; left: number }> {
  const { rows } = await sql<{ granted: number; left: number }>`
    with bucket as (
      select key_id, tokens, holds, extract(epoch from drawn_at)::float8 as drawn,
        extract(epoch from clock_timestamp())::float8 as now
      from rate_buckets where key_id = ${keyId} for update
    ), held as (
      select h.key as node, (h.value ->> 0)::float8 as tokens, h.value,
        (h.value ->> 1)::float8 + ${HELD_AT_MOST_SECONDS}::float8 as until
      from bucket, jsonb_each(bucket.holds) h
    ), totals as (
      select coalesce(sum(h.tokens), 0) as present,
        coalesce(sum(h.tokens) filter (where until > b.now), 0) as live,
        coalesce(sum(h.tokens) filter (where until > b.now and node = ${node}), 0) as own,
        greatest(b.drawn, max(until) filter (where until <= b.now)) as ended,
        coalesce(jsonb_object_agg(node, value) filter (where until > b.now and node <> ${node}), '{}') as holds
      from bucket b left join held h on true group by b.drawn
    ), filled as (
      select b.key_id, b.now, t.holds, greatest(0, least(
        ${burst}::float8 - t.live,
        least(${burst}::float8 - t.present, b.tokens + (t.ended - b.drawn) * ${limit}::float8 / 60)
          + greatest(b.now - t.ended, 0) * ${limit}::float8 / 60
      ) + least(${unused}::float8, t.own)) as tokens
      from bucket b, totals t
    ), drawn as (
      select key_id, now, holds, tokens, least(${needed + ahead}::float8, floor(tokens)) as granted from filled
    )
    update rate_buckets b
    set tokens = d.tokens - d.granted, drawn_at = clock_timestamp(),
      holds = case when d.granted > ${needed}::float8
        then d.holds || jsonb_build_object(${node}::text, jsonb_build_array(d.granted - ${needed}::float8, d.now))
        else d.holds end
    from drawn d where b.key_id = d.key_id
    returning d.granted, d.tokens - d.granted as left
  `.execute(db);
  if (rows[0]) return rows[0];
  // Tokens were only returned, and the key is gone with its bucket.
  if (needed + ahead === 0) return { granted: 0, left: 0 };
  await sql`
    insert into rate_buckets (key_id, tokens) values (${keyId}, ${burst}::float8) on conflict do nothing
  `.execute(db);
  return drawTokens(db, keyId, { limit, burst }, { node, needed, ahead, unused: 0 });
}
