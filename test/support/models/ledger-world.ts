/** Ledgers of calls on the database of a test app, and workspaces for them. */
import { Registry } from 'prom-client';
import type { CallResult, NewCall } from '../../../src/surfaces/models/contract/call-ledger.ts';
import { createCallLedger } from '../../../src/surfaces/models/ledger/ledger.ts';
import type { Ledger } from '../../../src/surfaces/models/contract/call-ledger.ts';
import type { Problem } from '../../../src/platform/http/problem.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { unitsFor } from '../events/outbox.ts';
import { startWorkspace, type TestApp } from '../test-app.ts';

export const SILENT = { info() {}, warn() {}, error() {} };

export const openLedger = ({ database: { db } }: TestApp, registry = new Registry()): Ledger => {
  const units = unitsFor(db);
  const all = { ...units, forRequests: units };
  return createCallLedger({ units: all, control: db, log: SILENT, registry, inBackground: false });
};

export type LedgerHome = Awaited<ReturnType<typeof startLedgerHome>>;

export async function startLedgerHome(app: TestApp) {
  const home = await startWorkspace(app);
  const workspaceId = toUuid('workspace', home.workspace)!;
  const actor = { workspaceId, id: home.keyId };
  return {
    ...home,
    workspaceId,
    actor,
    newCall: (
      worst: NewCall['worst'] = { tokens: 100, cost: 1_000_000 },
      more: Partial<NewCall> = {},
    ): NewCall => ({
      actor,
      operation: 'chat/completions',
      model: 'openai/gpt-5',
      route: null,
      worst,
      ...more,
    }),
    async addBudget(body: object) {
      const answer = await app.call('/budgets', {
        key: home.key,
        body: { name: 'b', window: 'day', ...body },
      });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    budget: async (id: string) => (await app.call(`/budgets/${id}`, { key: home.key })).body,
    async rows(table: 'model_open_calls' | 'model_calls' | 'model_call_stats') {
      const { rows } = await app.database.pool.query(`select * from ${table} where workspace_id = $1`, [
        workspaceId,
      ]);
      return rows;
    },
  };
}

export const RESULT: CallResult = {
  outcome: 'succeeded',
  model: 'openai/gpt-5',
  providerId: null,
  status: 200,
  errorCode: null,
  attempts: null,
  usage: { input: 20, cached: 5, output: 10 },
  isEstimated: false,
  cost: 250_000,
  firstByteMs: 120,
  durationMs: 900,
};

/** Admits calls at once. @returns those that were admitted, and the problems of the others */
export async function admitMany(calls: readonly [Ledger, NewCall][]) {
  const outcomes = await Promise.allSettled(calls.map(([via, call]) => via.admit(call)));
  return {
    admitted: outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    problems: outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as Problem] : [])),
  };
}
