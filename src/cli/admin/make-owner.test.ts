import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp, TEST_SECRET } from '../../../test/support/test-app.ts';
import { getEvents, type Home, join } from '../../../test/support/workspaces.ts';
import { runAdmin } from './run.ts';
import { testServerUrl } from '../../../test/support/db.ts';
import { said } from '../../../test/support/admin.ts';

let app: TestApp;
let home: Home;
let slug: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  slug = (await home.owner.call(`/workspaces/${home.workspace}`, { workspace: home.workspace })).body.slug;
});
afterAll(() => app.stop());

const admin = (...args: string[]) =>
  said((terminal) =>
    runAdmin(
      args,
      { DATABASE_URL: testServerUrl(app.database.name), FAIRLEAD_SECRET: TEST_SECRET },
      terminal,
    ),
  );
const epoch = async () => (await app.database.db.selectFrom('auth_epoch').selectAll().execute())[0]!.epoch;
const told = async () => (await getEvents(app, toUuid('workspace', home.workspace)!)).at(-1);
const audited = async (userId: string) =>
  (await home.owner.call(`/audit-log?target_id=${userId}`, { workspace: home.workspace })).body.data[0];

test('a member is raised: it counts in the running server, is told, and stands in the audit log', async () => {
  const viewer = await join(app, home, 'viewer');
  expect((await viewer.call('/me', { workspace: home.workspace })).body.role).toBe('viewer');
  const before = await epoch();
  expect(await admin('make-owner', viewer.email.toUpperCase(), slug)).toEqual({
    code: 0,
    out: `${viewer.email} is now an owner of ${slug} (was viewer).`,
    error: '',
  });
  expect(await epoch()).toBeGreaterThan(before);
  await vi.waitFor(async () => {
    expect((await viewer.call('/me', { workspace: home.workspace })).body.role).toBe('owner');
    expect(await told()).toMatchObject({
      type: 'member.updated',
      data: { object: { id: viewer.userId, role: 'owner' }, previous_attributes: { role: 'viewer' } },
    });
  }, PATIENCE);
  expect(await audited(viewer.userId)).toMatchObject({
    action: 'admin.make_owner',
    actor: { type: 'operator', id: null, name: null },
    target: { type: 'member', id: viewer.userId },
    ip: null,
    details: { role: 'owner', previous_role: 'viewer' },
  });

  const again = await admin('make-owner', viewer.email, home.workspace);
  expect(again).toMatchObject({ code: 0, out: `${viewer.email} is already an owner of ${slug}.` });
  expect(
    (await home.owner.call(`/audit-log?target_id=${viewer.userId}`, { workspace: home.workspace })).body.data,
  ).toHaveLength(1);
});

test('somebody from outside is added, also where no owner is left who may sign in', async () => {
  const lost = await startWorkspace(app);
  const eve = await app.signUp();
  expect((await admin('disable-user', lost.owner.email)).out).toContain(
    'See fairlead admin make-owner EMAIL WORKSPACE',
  );
  expect((await eve.call('/me', { workspace: lost.workspace })).body.code).toBe('workspace_required');
  const made = await admin('make-owner', eve.email, lost.workspace);
  expect(made.out).toMatch(/is now an owner of [a-z0-9-]+ \(was no member\)\.$/);
  await vi.waitFor(async () => {
    expect((await eve.call('/me', { workspace: lost.workspace })).body.role).toBe('owner');
    const events = await getEvents(app, toUuid('workspace', lost.workspace)!);
    expect(events.at(-1)).toMatchObject({ type: 'member.added', data: { object: { role: 'owner' } } });
  }, PATIENCE);
});

test('what there is not, and who is disabled, is refused in one line', async () => {
  const eve = await app.signUp();
  expect(await admin('make-owner', eve.email, 'no-such-place')).toEqual({
    code: 1,
    out: '',
    error: 'There is no workspace no-such-place. See fairlead admin list-workspaces',
  });
  expect(
    (
      await admin(
        'make-owner',
        eve.email,
        home.workspace.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
      )
    ).code,
  ).toBe(1);
  await admin('disable-user', eve.email);
  expect((await admin('make-owner', eve.email, slug)).error).toBe(
    `${eve.email} is disabled. First run: fairlead admin enable-user ${eve.email}`,
  );

  const gone = await startWorkspace(app);
  const { body } = await gone.owner.call(`/workspaces/${gone.workspace}`, { workspace: gone.workspace });
  await gone.owner.call(`/workspaces/${gone.workspace}?slug=${body.slug}`, {
    workspace: gone.workspace,
    method: 'DELETE',
  });
  expect((await admin('make-owner', home.owner.email, gone.workspace)).error).toContain(
    'There is no workspace',
  );
  expect((await admin('list-workspaces')).out).not.toContain(gone.workspace);
});

test('list-workspaces names owners who may sign in; what a name holds can do nothing to a terminal', async () => {
  const evil = await startWorkspace(app);
  await evil.owner.call(`/workspaces/${evil.workspace}`, {
    workspace: evil.workspace,
    method: 'PATCH',
    body: { name: 'x' },
  });
  const name = '\u001b]0;pwned\u0007\u001b[2J\r\nSLUG\u202e evil';
  await app.database.pool.query('update workspaces set name = $1 where id = $2', [
    name,
    toUuid('workspace', evil.workspace),
  ]);
  const { code, out } = await admin('list-workspaces');
  expect(code).toBe(0);
  const [head, ...rows] = out.split('\n');
  expect(head).toMatch(/^SLUG +NAME +ID +MEMBERS +CREATED +OWNERS$/);
  const row = rows.find((line) => line.includes(evil.workspace))!;
  expect(row).toContain('\\u{1b}]0;pwned\\u{7}\\u{1b}[2J\\u{d}\\u{a}SLUG\\u{202e} evil');
  expect(row).toMatch(new RegExp(` 1 +\\d{4}-\\d\\d-\\d\\d +${evil.owner.email}$`));
  expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);

  await admin('disable-user', evil.owner.email);
  const without = (await admin('list-workspaces')).out.split('\n');
  expect(without.find((line) => line.includes(evil.workspace))).toMatch(/ -$/);
});

test('keys of a disabled user go on, since they belong to the workspace; list-keys shows them', async () => {
  const theirs = await startWorkspace(app);
  const disabled = await admin('disable-user', theirs.owner.email);
  expect(disabled.out).toContain(
    `API keys that they created belong to their workspaces and keep working: 1. See fairlead admin list-keys ${theirs.owner.email}`,
  );
  expect(await app.call('/me', { key: theirs.key })).toHaveStatus(200);
  expect(await theirs.owner.call('/me')).toHaveStatus(401);
  const { out } = await admin('list-keys', theirs.owner.email);
  const [head, row] = out.split('\n');
  expect(head).toMatch(/^WORKSPACE +ID +KEY +NAME +LAST USED +EXPIRES +SCOPES$/);
  expect(row).toContain(theirs.keyId);
  expect(row).toContain(`${theirs.key.slice(0, 7)}…${theirs.key.slice(-4)}`);
  expect(out).not.toContain(theirs.key);
  const nobody = await app.signUp();
  expect((await admin('list-keys', nobody.email)).out).toBe(`${nobody.email} has no active API keys.`);
});
