import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unitsFor } from '../../../test/support/events/outbox.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { createJob, failJob, finishJob, reportProgress } from './job.service.ts';
import { deleteOldIdempotencyKeys, deleteOldInvitations } from '../../platform/jobs/maintenance.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
});
afterAll(() => app.stop());

const newJob = (total: number | null = null) =>
  unitsFor(app.database.db).write((unit) => createJob(unit, workspaceId, 'links.import', total));
const read = (id: string, key = home.key) => app.call(`/jobs/${publicId('job', id)}`, { key });

describe('GET /jobs/{id}', () => {
  it('shows a job from its making to its end', async () => {
    const units = unitsFor(app.database.db);
    const { id, job } = await newJob(3);
    expect(job).toMatchObject({
      object: 'job',
      type: 'links.import',
      state: 'queued',
      progress: { done: 0, total: 3 },
    });
    expect((await read(id)).body).toEqual(job);
    await units.write((unit) => reportProgress(unit, workspaceId, id, { done: 2, total: 3 }));
    expect((await read(id)).body).toMatchObject({
      state: 'running',
      progress: { done: 2, total: 3 },
      finished_at: null,
    });
    await units.write((unit) => finishJob(unit, workspaceId, id, { created: 3 }));
    expect((await read(id)).body).toMatchObject({
      state: 'succeeded',
      result: { created: 3 },
      error: null,
      finished_at: expect.any(String),
    });
  });

  it('shows why one failed; what has ended cannot go on', async () => {
    const units = unitsFor(app.database.db);
    const { id } = await newJob();
    const error = { code: 'invalid_file', detail: 'Line 3 has no url.' };
    await units.write((unit) => failJob(unit, workspaceId, id, error));
    expect((await read(id)).body).toMatchObject({
      state: 'failed',
      error,
      progress: { done: 0, total: null },
    });
    await expect(units.write((unit) => finishJob(unit, workspaceId, id, {}))).rejects.toThrow(
      'cannot become succeeded',
    );
  });

  it('is for keys of the workspace with a scope of what it is about, and no other', async () => {
    const { id } = await newJob();
    const keyWith = async (...scopes: string[]): Promise<string> =>
      (await home.owner.call('/api-keys', { workspace: home.workspace, body: { name: 'weak', scopes } })).body
        .secret;
    const refused = await read(id, await keyWith('usage:read', 'contacts:write'));
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    for (const scope of ['links:read', 'links:write'])
      expect((await read(id, await keyWith(scope))).status, scope).toBe(200);
    const other = await startWorkspace(app);
    expect(await read(id, other.key)).toHaveStatus(404);
    expect(await read(newUuid())).toHaveStatus(404);
    expect(await app.call('/jobs/nothing', { key: home.key })).toHaveStatus(404);
  });
});

describe('maintenance', () => {
  const HOUR = 3600 * 1000;

  it('deletes stored answers after 24 hours, however many', async () => {
    await app.database.pool.query(
      `insert into idempotency_keys (actor, operation, key, request_hash, status, created_at)
       select 'key_x', 'POST /x', n::text, '', 200, now() - interval '25 hours' from generate_series(1, 4500) n`,
    );
    await app.database.pool.query(
      `insert into idempotency_keys (actor, operation, key, request_hash, status, created_at)
       values ('key_x', 'POST /x', 'young', '', 200, now() - interval '23 hours')`,
    );
    expect(await deleteOldIdempotencyKeys(app.database.db, new Date())).toBe(4500);
    const { rows } = await app.database.pool.query(`select key from idempotency_keys where actor = 'key_x'`);
    expect(rows).toEqual([{ key: 'young' }]);
  });

  it('deletes invitations that ran out a month ago, with their tokens, and no others', async () => {
    const invite = async (email: string): Promise<string> => {
      const made = await home.owner.call('/invitations', {
        workspace: home.workspace,
        body: { email, role: 'viewer' },
      });
      return toUuid('invitation', made.body.id)!;
    };
    const [old, young] = [await invite('old@example.com'), await invite('young@example.com')];
    const age = (id: string, days: number) =>
      app.database.pool.query('update invitations set expires_at = $1 where id = $2', [
        new Date(Date.now() - days * 24 * HOUR),
        id,
      ]);
    await age(old, 31);
    await age(young, 29);
    expect(await deleteOldInvitations(app.database.db, new Date())).toBe(1);
    const { rows } = await app.database.pool.query(
      'select invitation_id from invite_tokens where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([{ invitation_id: young }]);
  });
});
