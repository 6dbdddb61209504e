/**
 * A database as the first version of the program made it: migrations 0001 to 0006, with people, workspaces, members,
 * invitations, keys, events, an audit log and what jobs left. It was filled through that version's API on PostgreSQL 15
 * and dumped by `pg_dump --inserts --load-via-partition-root --no-owner --no-privileges`, without psql's own commands.
 * Its times are moved as it is loaded, so that it is an hour old whenever that is: what is kept for some days is there.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { fromString, fromUUID, toUUID } from 'typeid-js';
import type { PoolOptions } from '../../src/platform/db/database.ts';
import { ROOT } from './product.ts';

const AGE_MS = 3_600_000;
const DAY_MS = 24 * AGE_MS;
/** From its first row to its last, and more. */
const LASTED_MS = 60_000;
const FOLDER = join(ROOT, 'test/upgrade');

interface Known {
  made_at: string;
  /** FAIRLEAD_SECRET of that installation. */
  secret: string;
  password: string;
  /** Ada's, of a session that goes on. */
  cookie: string;
  people: string[];
  acme: { id: string; name: string; metadata: object };
  other: { id: string };
  /** One that nobody has accepted yet. */
  invitation: { id: string; email: string; token: string };
  /** `rotated_old` counted for a day more. */
  keys: Record<
    'full' | 'full_id' | 'writer' | 'reader' | 'revoked' | 'rotated_old' | 'rotated' | 'other',
    string
  >;
  /** A key that `writer` made by a call with this Idempotency-Key. */
  idempotency: { key: string; body: object; id: string };
  last_sequence: number;
}

const ID = /\b([a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25})\b/g;
const UUID = /\b([0-9a-f]{8})-([0-9a-f]{4})(-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;
const TIME = /(\d{4}-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)(\.\d+)?(\+00|Z)/g;
const DAY_OF_TABLE = /_(20\d{6})(?!\d)/g;
const BOUND = /'([0-9a-f]{8})-([0-9a-f]{4})-0000-0000-000000000000'/g;
const BOUND_TIME = /'(\d{4}-\d\d-\d\d) 00:00:00\+00'/g;

/** Moves all times in a text: those of IDs, of columns, and of day partitions, which stay whole days. */
function move(text: string, byMs: number, byDaysMs: number): string {
  const moved = (first: string, second: string, ms: number): string => {
    const hex = (Number.parseInt(first + second, 16) + ms).toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}`;
  };
  const movedUuid = (_: string, first: string, second: string, rest: string): string =>
    `${moved(first, second, byMs)}${rest}`;
  const day = (date: string): string => new Date(Date.parse(date) + byDaysMs).toISOString().slice(0, 10);
  const line = (one: string): string => {
    const named = one.replaceAll(DAY_OF_TABLE, (_, at: string) => {
      const date = `${at.slice(0, 4)}-${at.slice(4, 6)}-${at.slice(6)}`;
      return `_${day(date).replaceAll('-', '')}`;
    });
    if (named.includes('FOR VALUES FROM'))
      return named
        .replaceAll(BOUND, (_, a: string, b: string) => `'${moved(a, b, byDaysMs)}-0000-0000-000000000000'`)
        .replaceAll(BOUND_TIME, (_, date: string) => `'${day(date)} 00:00:00+00'`);
    return named
      .replaceAll(UUID, movedUuid)
      .replaceAll(ID, (id) => {
        const uuid = toUUID(fromString(id)).replace(UUID, movedUuid);
        return fromUUID(uuid, id.slice(0, id.indexOf('_')));
      })
      .replaceAll(TIME, (_, date: string, between: string, time: string, fraction = '', zone: string) => {
        const at = new Date(Date.parse(`${date}T${time}${fraction || '.000'}Z`) + byMs).toISOString();
        return `${at.slice(0, 10)}${between}${at.slice(11, 23)}${zone}`;
      });
  };
  return text.split('\n').map(line).join('\n');
}

/**
 * Fills an empty database.
 * @returns what a test has to know of it
 */
export async function loadFirstSchema(connection: PoolOptions): Promise<Known> {
  const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
  const madeAt = Date.parse((JSON.parse(read('first-schema.json')) as Known).made_at);
  const anHourAgo = Date.now() - AGE_MS;
  // All of it was made on one day, and there are partitions from that day on.
  const target = anHourAgo % DAY_MS < LASTED_MS ? anHourAgo - 2 * LASTED_MS : anHourAgo;
  const byMs = target - madeAt;
  const byDaysMs = (Math.floor(target / DAY_MS) - Math.floor(madeAt / DAY_MS)) * DAY_MS;
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(move(read('first-schema.sql'), byMs, byDaysMs));
  } finally {
    await client.end();
  }
  return JSON.parse(move(read('first-schema.json'), byMs, byDaysMs)) as Known;
}
