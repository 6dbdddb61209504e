/**
 * Runs a statement with a timeout that includes waiting for a connection. On timeout the connection is destroyed, so a
 * frozen database or network can't block connections permanently.
 */
import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type pg from 'pg';
import { withTimeout } from '../time/timeout.ts';
import type { Database } from './database.ts';

const names = new Map<string, string>();

function getName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return name;
}

export type TimedQuery = <Row extends object>(statement: RawBuilder<Row>, ms: number) => Promise<Row[]>;

/**
 * @param db compiles the statements, which must be few different texts
 * @returns runs a statement; rejects once `ms` are over
 */
export function createTimedQuery(pool: pg.Pool, db: Database): TimedQuery {
  return async (statement, ms) => {
    const { sql: text, parameters } = statement.compile(db);
    // `query_timeout` is of pg, though its types have it for connections alone.
    const config = { name: getName(text), text, values: [...parameters], query_timeout: ms };
    const late = `the database did not answer within ${ms} ms`;
    return (await withTimeout(pool.query(config), ms, late)).rows as never;
  };
}
