import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { type Person, startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { type Home, join, outcome } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Home;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const give = (who: Person, to: Person, role: string, at: Home) =>
  who.call(`/members/${to.userId}`, { workspace: at.workspace, method: 'PATCH', body: { role } });
const remove = (who: Person, whom: Person, at: Home) =>
  who.call(`/members/${whom.userId}`, { workspace: at.workspace, method: 'DELETE' });
describe('one owner remains', () => {
  test('alone they can neither leave nor step down', async () => {
    expect(outcome(await remove(home.owner, home.owner, home))).toEqual([409, 'last_owner']);
    expect(outcome(await give(home.owner, home.owner, 'admin', home))).toEqual([409, 'last_owner']);
  });

  test('an owner who was disabled does not count', async () => {
    const alone = await startWorkspace(app);
    const second = await join(app, alone, 'owner');
    await app.database.pool.query('update users set disabled_at = now() where id = $1', [
      toUuid('user', second.userId),
    ]);
    expect(outcome(await remove(alone.owner, alone.owner, alone))).toEqual([409, 'last_owner']);
  });

  const rounds = Array.from({ length: 3 }, (_, index) => index);

  test.each(rounds)('when both step down at once (%i)', async () => {
    const shared = await startWorkspace(app);
    const second = await join(app, shared, 'owner');
    const answers = await Promise.all([
      give(shared.owner, shared.owner, 'admin', shared),
      give(second, second, 'viewer', shared),
    ]);
    expect(answers.map(outcome).sort()).toEqual([
      [200, undefined],
      [409, 'last_owner'],
    ]);
  });

  test.each(rounds)('when each demotes the other, or removes them, at once (%i)', async (round) => {
    const shared = await startWorkspace(app);
    const second = await join(app, shared, 'owner');
    const act = (who: Person, whom: Person) =>
      round % 2 ? remove(who, whom, shared) : give(who, whom, 'viewer', shared);
    const answers = await Promise.all([act(shared.owner, second), act(second, shared.owner)]);
    const done = answers.filter(({ status }) => status < 300);
    expect(done).toHaveLength(1);
    const { rows } = await app.database.pool.query(
      `select count(*)::int as owners from members where workspace_id = $1 and role = 'owner'`,
      [toUuid('workspace', shared.workspace)],
    );
    expect(rows[0].owners).toBe(1);
  });

  test.each(rounds)('when both leave at once (%i)', async () => {
    const shared = await startWorkspace(app);
    const second = await join(app, shared, 'owner');
    const answers = await Promise.all([
      remove(shared.owner, shared.owner, shared),
      remove(second, second, shared),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

test('who is demoted while their own change waits has no power left for it', async () => {
  const shared = await startWorkspace(app);
  const [second, third] = [await join(app, shared, 'owner'), await join(app, shared, 'viewer')];
  const id = toUuid('workspace', shared.workspace);
  const other = await app.database.pool.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from workspaces where id = $1 for update', [id]);
    const waiting = give(second, third, 'owner', shared);
    await vi.waitFor(async () => {
      const { rows } = await app.database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });
    await other.query(`update members set role = 'viewer' where workspace_id = $1 and user_id = $2`, [
      id,
      toUuid('user', second.userId),
    ]);
    await other.query('commit');
    expect(outcome(await waiting)).toEqual([403, 'insufficient_scope']);
  } finally {
    other.release();
  }
  const { body } = await shared.owner.call(`/members/${third.userId}`, { workspace: shared.workspace });
  expect(body.role).toBe('viewer');
});
