/**
 * Database adapter for better-auth. Beyond plain statements it does three things that the library can't:
 * - session tokens are stored as hashes; a lookup by token returns that token, other reads return the hash;
 * - each statement runs in the transaction of the current call (call-scope.ts);
 * - a session is only created for a user who may sign in at that moment.
 */
import { createAdapterFactory, type CleanedWhere, type CustomAdapter } from 'better-auth/adapters';
import type { ExpressionBuilder, Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { Database } from '../../../platform/db/database.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { currentCall } from './call-scope.ts';
import { hashToken } from '../session-cookie.ts';
import { endOldestSessions, lockForSession } from './sessions.system-store.ts';

type Row = Record<string, unknown>;
type AnyTables = Record<string, Row>;
type GetFieldName = (of: { model: string; field: string }) => string;

const TOKEN_COLUMN = 'token_hash';
const OPERATORS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', in: 'in' } as const;

const stored = (field: string, value: unknown): unknown => {
  if (field !== TOKEN_COLUMN) return value;
  return Array.isArray(value) ? value.map((token) => hashToken(String(token))) : hashToken(String(value));
};

const matching =
  (where: CleanedWhere[] = []) =>
  (eb: ExpressionBuilder<AnyTables, string>) =>
    eb.and(
      where.map(({ field, operator, value, connector }) => {
        const known = OPERATORS[operator as keyof typeof OPERATORS];
        if (!known || connector !== 'AND') throw new Error(`unsupported condition: ${connector} ${operator}`);
        if (value === null) return eb(field, operator === 'ne' ? 'is not' : 'is', null);
        return eb(field, known, stored(field, value));
      }),
    );

/** Rows found by their clear token carry it; the library signs it into the cookie. */
function withToken<T>(row: T | undefined, where: CleanedWhere[] = []): T | null {
  const token = where.find(({ field, operator }) => field === TOKEN_COLUMN && operator === 'eq')?.value;
  if (row === undefined) return null;
  return token === undefined ? row : { ...row, [TOKEN_COLUMN]: token };
}

/** Keeps the first error of each call: the library answers some of them with "signed out" or "success". */
function keepingFaults(adapter: CustomAdapter): CustomAdapter {
  const wrapped = Object.entries(adapter).map(([name, method]) => [
    name,
    async (input: never) => {
      try {
        return await (method as (input: never) => Promise<unknown>)(input);
      } catch (error) {
        const scope = currentCall();
        if (scope) scope.fault ??= error as Error;
        throw error;
      }
    },
  ]);
  return Object.fromEntries(wrapped) as CustomAdapter;
}

export function createLibraryAdapter(db: Database) {
  const current = () => (currentCall()?.trx ?? db) as unknown as Kysely<AnyTables>;

  const insert = async <T extends Row>(on: Kysely<AnyTables>, model: string, data: T): Promise<T> => {
    const row =
      TOKEN_COLUMN in data ? { ...data, [TOKEN_COLUMN]: stored(TOKEN_COLUMN, data[TOKEN_COLUMN]) } : data;
    const saved = await on.insertInto(model).values(row).returningAll().executeTakeFirstOrThrow();
    return (TOKEN_COLUMN in data ? { ...saved, [TOKEN_COLUMN]: data[TOKEN_COLUMN] } : saved) as unknown as T;
  };

  const insertSession = async <T extends Row>(trx: KyselyTransaction<AnyTables>, data: T): Promise<T> => {
    const { bindSession, verified } = currentCall() ?? {};
    const userId = data.user_id as string;
    await lockForSession(trx, userId, bindSession ? (verified?.stored ?? '') : null);
    const session = await insert(trx, 'sessions', data);
    await endOldestSessions(trx, userId);
    return session;
  };

  const adapter = (getFieldName: GetFieldName): CustomAdapter => ({
    async create({ model, data }) {
      const on = current();
      if (model !== 'sessions') return insert(on, model, data);
      if (on.isTransaction) return insertSession(on as KyselyTransaction<AnyTables>, data);
      return on.transaction().execute((trx) => insertSession(trx, data));
    },
    async update({ model, where, update }) {
      const row = await current()
        .updateTable(model)
        .set(update as never)
        .where(matching(where))
        .returningAll()
        .executeTakeFirst();
      return withToken(row, where) as never;
    },
    async updateMany({ model, where, update }) {
      const { numUpdatedRows } = await current()
        .updateTable(model)
        .set(update as never)
        .where(matching(where))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async findOne({ model, where }) {
      const row = await current()
        .selectFrom(model)
        .selectAll()
        .where(matching(where))
        .limit(1)
        .executeTakeFirst();
      return withToken(row, where) as never;
    },
    async findMany({ model, modelKey = model, where, limit, offset, sortBy }) {
      let query = current().selectFrom(model).selectAll().where(matching(where)).limit(limit);
      if (offset) query = query.offset(offset);
      if (sortBy)
        query = query.orderBy(getFieldName({ model: modelKey, field: sortBy.field }), sortBy.direction);
      return (await query.execute()).map((row) => withToken(row, where)) as never;
    },
    async delete({ model, where }) {
      await current().deleteFrom(model).where(matching(where)).execute();
    },
    async deleteMany({ model, where }) {
      const { numDeletedRows } = await current().deleteFrom(model).where(matching(where)).executeTakeFirst();
      return Number(numDeletedRows);
    },
    async consumeOne({ model, where }) {
      const rows = await current().deleteFrom(model).where(matching(where)).returningAll().execute();
      return (rows[0] ?? null) as never;
    },
    async count({ model, where }) {
      const { n } = await current()
        .selectFrom(model)
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where(matching(where))
        .executeTakeFirstOrThrow();
      return n;
    },
  });

  return createAdapterFactory({
    config: {
      adapterId: 'fairlead',
      adapterName: 'Fairlead',
      supportsJSON: true,
      supportsNumericIds: false,
      customIdGenerator: newUuid,
      // The call's own transaction spans more than the library's would.
      transaction: false,
    },
    adapter: ({ getFieldName }) => keepingFaults(adapter(getFieldName)),
  });
}
