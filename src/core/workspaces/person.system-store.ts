/** Names and emails of people, who belong to no workspace: they are in the tables of src/core/auth/identity. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface Person {
  id: string;
  name: string;
  email: string;
}

const COLUMNS = ['id', 'name', 'email'] as const;

/** Returns people by ID. Missing people are not in the map. */
export async function findPeople(db: Db, ids: string[]): Promise<Map<string, Person>> {
  if (!ids.length) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(COLUMNS)
    // One statement for lists of any length: each length would be prepared on each connection.
    .where('id', '=', sql<string>`any (${ids}::uuid[])`)
    .execute();
  return new Map(rows.map((person) => [person.id, person]));
}

/** @param email folded as `foldEmail` does. */
export function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  return db.selectFrom('users').select(COLUMNS).where('email', '=', email).executeTakeFirst();
}
