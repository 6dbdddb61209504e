import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let box: string;
beforeAll(async () => {
  app = await startTestApp({ WORKSPACE_LIMITS: 'contacts=450' });
  home = await startWorkspace(app);
  box = (await call('/instances', { name: 'Front', channel: 'sandbox' })).body.id;
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const send = (text: string | Buffer, path = `/contacts/import?instance_id=${box}`) =>
  app.call(path, { key: home.key, body: text.toString(), headers: { 'content-type': 'text/csv' } });

async function ended(id: string) {
  return vi.waitFor(async () => {
    const { body } = await call(`/jobs/${id}`);
    expect(['succeeded', 'failed']).toContain(body.state);
    return body;
  }, PATIENCE);
}
async function imported(text: string, path?: string) {
  const { status, body } = await send(text, path);
  expect([status, body.type]).toEqual([202, 'contacts.import']);
  return ended(body.id);
}
const ofAddress = async (address: string) =>
  (await call(`/contacts?address=${encodeURIComponent(address)}`)).body.data[0];

describe('import', () => {
  test('creates and changes contacts, reports errors by line, and emits events; a repeated import changes nothing', async () => {
    const text = [
      '\ufeffName;Address;metadata.Team;instance;shoe size',
      "'=Eva;eva;blue;;42",
      'Fritz;fritz;;Front;43',
      ';;;;',
      'No address;;;;',
      'Nowhere;nora;;Nobody;',
      'Bad;@;;;',
      '"Two\nlines";tina;;;',
    ].join('\r\n');
    const job = await imported(text);
    expect(job).toMatchObject({ state: 'succeeded', progress: { done: 6, total: 6 } });
    expect(job.result).toMatchObject({ created: 3, updated: 0, unchanged: 0, failed: 3 });
    expect(job.result.ignored_columns).toEqual(['shoe size']);
    expect(job.result.faults.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
      [5, 'required'],
      [6, 'not_found'],
      [7, 'invalid_address'],
    ]);
    expect(await ofAddress('eva')).toMatchObject({ name: '=Eva', metadata: { Team: 'blue' } });
    const again = await imported(text);
    expect(again.result).toMatchObject({ created: 0, updated: 0, unchanged: 3, failed: 3 });
    const changed = await imported('address,name,metadata.x\neva,Eva,1\n');
    expect(changed.result).toMatchObject({ created: 0, updated: 1 });
    expect(await ofAddress('eva')).toMatchObject({ name: 'Eva', metadata: { Team: 'blue', x: '1' } });
    // The file was deleted with its job.
    expect((await call('/media')).body.data).toEqual([]);
    await vi.waitFor(async () => {
      const events = await getEvents(app, toUuid('workspace', home.workspace)!);
      expect(events.filter(({ type }) => type === 'import.completed')).toHaveLength(3);
    }, PATIENCE);
  });

  test.each([
    ['without the column address', 'name\nx\n', 'invalid_file'],
    ['with a quote that does not end', 'address\nok1\n"never\n', 'invalid_file'],
    ['that is one long line', 'a'.repeat(400_000), 'invalid_file'],
  ])('fails for a file %s', async (_what, text, code) => {
    expect(await imported(text)).toMatchObject({ state: 'failed', error: { code } });
  });

  test('fails for files that are not UTF-8, from a form and by media_id', async () => {
    const form = new FormData();
    form.set(
      'file',
      new Blob([Buffer.from('address\nm\xfcller\n', 'latin1')], { type: 'text/csv' }),
      'x.csv',
    );
    const path = `${app.base}/api/v1/contacts/import?instance_id=${box}`;
    const headers = { authorization: `Bearer ${home.key}` };
    const answer = await fetch(path, { method: 'POST', body: form, headers });
    expect(answer).toHaveStatus(202);
    const { id } = (await answer.json()) as { id: string };
    expect(await ended(id)).toMatchObject({ state: 'failed', error: { code: 'invalid_file' } });

    const own = new FormData();
    own.set('file', new Blob(['address\nby-media\n'], { type: 'text/csv' }), 'own.csv');
    const media = await fetch(`${app.base}/api/v1/media`, { method: 'POST', body: own, headers });
    const { id: mediaId } = (await media.json()) as { id: string };
    const job = await call(`/contacts/import?instance_id=${box}`, { media_id: mediaId });
    expect((await ended(job.body.id)).result).toMatchObject({ created: 1 });
    expect(await call(`/media/${mediaId}`)).toHaveStatus(200);
    const gone = await call('/contacts/import', { media_id: 'med_01h2xcejqtf2nbrexx3vqjhp41' });
    expect([gone.status, gone.body.errors[0].pointer]).toEqual([404, '/media_id']);
  });

  test('of a stored media file needs media:read, because the contacts would reveal its content', async () => {
    const form = new FormData();
    form.set('file', new Blob(['address\nhidden\n'], { type: 'text/csv' }), 'hidden.csv');
    const headers = { authorization: `Bearer ${home.key}` };
    const media = await fetch(`${app.base}/api/v1/media`, { method: 'POST', body: form, headers });
    const { id } = (await media.json()) as { id: string };
    const { body: key } = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'Without media', scopes: ['contacts:write', 'contacts:read', 'links:write'] },
    });
    for (const path of ['/contacts/import', '/links/import']) {
      const refused = await app.call(path, { key: key.secret, body: { media_id: id } });
      expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'insufficient_scope']);
    }
  });

  test('rejects other types, and is stored once for a repeated key', async () => {
    const plain = await call('/contacts', undefined, 'POST', { 'content-type': 'text/csv' });
    expect(plain).toHaveStatus(415);
    const headers = { 'content-type': 'text/csv', 'idempotency-key': 'import-1' };
    const options = { key: home.key, body: 'address\nonce\n', headers };
    const first = await app.call(`/contacts/import?instance_id=${box}`, options);
    const again = await app.call(`/contacts/import?instance_id=${box}`, options);
    expect([first.status, again.status, again.body.id]).toEqual([202, 202, first.body.id]);
    const other = await app.call(`/contacts/import?instance_id=${box}`, { ...options, body: 'address\nx\n' });
    expect(other.body.code).toBe('idempotency_mismatch');
    await ended(first.body.id);
  });

  test('creates as many contacts as the quota allows, batch by batch', async () => {
    const { used } = (await call('/usage')).body.resources.find(
      ({ resource }: { resource: string }) => resource === 'contacts',
    );
    const lines = Array.from({ length: 460 }, (_, nth) => `quota${nth},n${nth}`);
    const job = await imported(`address,name\n${lines.join('\n')}\n`);
    expect(job.result).toMatchObject({ created: 450 - used, failed: 460 - 450 + used });
    expect(job.result.faults[0].code).toBe('quota_exceeded');
    const more = await call('/contacts', { name: 'One more' });
    expect([more.status, more.body.code]).toEqual([403, 'quota_exceeded']);
  });
});

describe('export', () => {
  test('contains every contact, with formulas escaped, and can be imported again without changes', async () => {
    await call(
      `/contacts/${(await ofAddress('fritz')).id}`,
      { name: '=cmd()', metadata: { a: 'x,"y"' } },
      'PATCH',
    );
    const { status, headers, body } = await call('/contacts/export');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toContain('attachment');
    expect(body).toContain(`,'=cmd(),`);
    const count = Number(
      (
        await app.database.pool.query('select count(*) from contacts where workspace_id = $1', [
          toUuid('workspace', home.workspace),
        ])
      ).rows[0].count,
    );
    expect(body.trim().split('\r\n').length).toBe(count + 1);
    const again = await imported(body, '/contacts/import');
    expect(again.result).toMatchObject({ created: 0, updated: 0, unchanged: count, failed: 0 });
    const some = await call('/contacts/export?address=fritz');
    expect(some.body.trim().split('\r\n')).toHaveLength(2);
    const head = await call('/contacts/export', undefined, 'HEAD');
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  });
});
