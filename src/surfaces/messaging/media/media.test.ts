import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import {
  getFiles,
  formWith,
  PNG,
  sendForm,
  STORES,
  type TestStore,
  upload,
} from '../../../../test/support/messaging/media.ts';

describe.each(STORES)('media in %s', (_where, openStore) => {
  let app: TestApp;
  let store: TestStore;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  beforeAll(async () => {
    store = await openStore();
    app = await startTestApp({ WORKSPACE_LIMITS: 'media=500', ...store.env });
    home = await startWorkspace(app);
  });
  afterAll(async () => {
    await app.stop();
    await store.stop();
  });

  const call = (path: string, options: object = {}) => app.call(path, { key: home.key, ...options });
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await home.owner.call('/api-keys', { workspace: home.workspace, body: { name: 'one', scopes } })).body
      .secret;
  const getPointers = (answer: { body: { errors: { pointer: string; code: string }[] } }) =>
    answer.body.errors.map(({ pointer, code }) => `${pointer} ${code}`);

  describe('an upload', () => {
    test('is ready with the answer, its type told from its bytes', async () => {
      const file = {
        bytes: PNG,
        name: 'dot.png',
        type: 'text/html',
        fields: { metadata: '{"team":"growth"}' },
      };
      const { status, body } = await upload(app, home, file);
      expect([status, body]).toEqual([
        201,
        expect.objectContaining({
          object: 'media',
          state: 'ready',
          mime_type: 'image/png',
          size: PNG.length,
          sha256: createHash('sha256').update(PNG).digest('hex'),
          file_name: 'dot.png',
          error: null,
          metadata: { team: 'growth' },
          created_by: home.keyId,
        }),
      ]);
      expect(Date.parse(body.url_expires_at) - Date.now()).toBeGreaterThan(3_590_000);
      const got = await call(`/media/${body.id}`);
      expect([got.status, got.body]).toEqual([200, { ...body, url: expect.any(String) }]);
      const content = await fetch(`${app.base}/api/v1/media/${body.id}/content`, {
        headers: { authorization: `Bearer ${home.key}` },
      });
      expect(Buffer.from(await content.arrayBuffer())).toEqual(PNG);
    });

    test('is named in the audit log', async () => {
      const { body } = await upload(app, home, { bytes: PNG });
      const { body: log } = await home.owner.call('/audit-log?limit=1', { workspace: home.workspace });
      expect(log.data[0]).toMatchObject({ action: 'media.create', target: expect.anything() });
      expect(JSON.stringify(log.data[0])).toContain(body.id);
      expect(JSON.stringify(log.data[0])).not.toContain('/media/');
    });

    test.each<[string, string, string | Buffer, string | undefined, string]>([
      ['a page', 'a.html', '<!doctype html><script>alert(1)</script>', 'text/html', 'text/html'],
      ['a script', 'a.js', 'alert(1)', 'text/javascript', 'text/plain'],
      ['a style sheet', 'a.css', 'a{}', 'text/css', 'text/plain'],
      ['a picture of markup', 'a.svg', '<?xml version="1.0"?><svg/>', 'image/svg+xml', 'image/svg+xml'],
      ['text that calls itself a picture', 'a.png', 'hello', 'image/png', 'text/plain'],
      ['text in UTF-8', 'a.csv', 'a,ü\n1,2', 'text/csv; charset=x', 'text/csv'],
      ['bytes of no kind', 'a.mp4', Buffer.from([1, 2, 3, 0, 255]), 'video/mp4', 'application/octet-stream'],
      ['a type that is no type', 'a', 'x', '\u00ff/; "', 'text/plain'],
      ['a document', 'a.pdf', '%PDF-1.7\n', undefined, 'application/pdf'],
    ])('tells %s', async (_what, name, bytes, type, expected) => {
      const { status, body } = await upload(app, home, { bytes, name, type });
      expect([status, body.mime_type]).toEqual([201, expected]);
    });

    test.each([
      ['../../etc/passwd', 'passwd'],
      ['C:\\Users\\me\\report.docx', 'report.docx'],
      ['a\u202egpj.exe', 'agpj.exe'],
      ['Grüße – 世界.txt', 'Grüße – 世界.txt'],
      ['..', null],
      [`${'ö'.repeat(300)}.pdf`, `${'ö'.repeat(98)}.pdf`],
    ])('keeps of the name %j what can be shown', async (name, expected) => {
      const { body } = await upload(app, home, { bytes: 'x', name });
      expect(body.file_name).toBe(expected);
    });

    test('prefers the name in a field over that of the part', async () => {
      const file = { bytes: 'x', name: 'part.txt', fields: { file_name: 'field.txt' } };
      expect((await upload(app, home, file)).body.file_name).toBe('field.txt');
    });

    test('is rejected with all errors of its form at once, and leaves nothing', async () => {
      const before = await getFiles(app);
      const form = formWith({ bytes: 'x', fields: { metadata: '{"a":1}', colour: 'red' } });
      form.append('file', new Blob(['y']), 'second');
      form.append('picture', new Blob(['z']), 'z');
      const answer = await sendForm(app, home, form);
      expect(answer).toHaveStatus(400);
      expect(getPointers(answer).sort()).toEqual([
        '/colour unknown_field',
        '/file too_long',
        '/metadata/a invalid_type',
        '/picture unknown_field',
      ]);
      expect(await getFiles(app)).toEqual(before);
    });

    test.each<[string, (form: FormData) => void, string]>([
      ['no file', (form) => form.set('file_name', 'x'), '/file required'],
      ['a file that is a field', (form) => form.set('file', 'x'), '/file required'],
      ['an empty file', (form) => form.set('file', new Blob([]), 'x'), '/file too_short'],
      ['metadata that is no JSON', (form) => form.set('metadata', '{'), '/metadata invalid_json'],
    ])('is refused with %s', async (_what, fill, expected) => {
      const before = await getFiles(app);
      const form = new FormData();
      fill(form);
      const answer = await sendForm(app, home, form);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(getPointers(answer)).toContain(expected);
      expect(await getFiles(app)).toEqual(before);
    });

    test('that is not a form returns 415; other operations accept no forms', async () => {
      const headers = { 'content-type': 'multipart/form-data' };
      expect((await call('/media', { body: 'x', headers })).body.code).toBe('unsupported_media_type');
      const boundary = { 'content-type': 'multipart/form-data; boundary=x' };
      expect(await call('/media', { body: '{}', headers: boundary })).toHaveStatus(415);
      expect(await call('/webhooks', { body: '--x--', headers: boundary })).toHaveStatus(415);
    });

    test('that ends early is refused', async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const before = await getFiles(app);
      const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf';
      const answer = await call('/media', { body, headers });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(await getFiles(app)).toEqual(before);
    });

    test('needs its scope, and counts against the limit of the workspace', async () => {
      const reader = { key: await keyWith('media:read') };
      expect((await upload(app, reader, { bytes: 'x' })).body.code).toBe('insufficient_scope');
      const { body } = await call('/usage');
      const { used } = body.resources.find(({ resource }: { resource: string }) => resource === 'media');
      expect(used).toBeGreaterThan(1);
      const other = await startTestApp({ WORKSPACE_LIMITS: 'media=1', ...store.env }, app);
      const full = await upload(other, home, { bytes: 'x' });
      await other.stop();
      expect([full.status, full.body.code]).toEqual([403, 'quota_exceeded']);
    });
  });

  describe('Idempotency-Key', () => {
    const sendAs = (idempotencyKey: string, bytes: string, name = 'a.txt') =>
      upload(app, { key: home.key, headers: { 'idempotency-key': idempotencyKey } }, { bytes, name });

    test('the same file again returns the first response; its signed URL is not stored', async () => {
      const first = await sendAs('upload 1', 'same');
      const before = await getFiles(app);
      const again = await sendAs('upload 1', 'same');
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      expect(again.body).toEqual({ ...first.body, url: null, thumbnail_url: null });
      await vi.waitFor(async () => expect(await getFiles(app)).toEqual(before));
    });

    test('another file or name is another request', async () => {
      await sendAs('upload 2', 'one');
      expect((await sendAs('upload 2', 'two')).body.code).toBe('idempotency_mismatch');
      expect((await sendAs('upload 2', 'one', 'b.txt')).body.code).toBe('idempotency_mismatch');
      await vi.waitFor(async () =>
        expect((await getFiles(app)).filter((path) => path.startsWith('incoming'))).toEqual([]),
      );
    });
  });

  describe('the list', () => {
    test('is filtered by type and time', async () => {
      const place = await startWorkspace(app);
      await upload(app, place, { bytes: PNG });
      await upload(app, place, { bytes: 'GIF89a' + '\0'.repeat(20), name: 'a.gif' });
      await upload(app, place, { bytes: 'text' });
      const getTypes = async (query: string): Promise<string[]> =>
        (await app.call(`/media${query}`, { key: place.key })).body.data.map(
          (item: { mime_type: string }) => item.mime_type,
        );
      expect(await getTypes('')).toEqual(['text/plain', 'image/gif', 'image/png']);
      expect(await getTypes('?type=image/*')).toEqual(['image/gif', 'image/png']);
      expect(await getTypes('?type=image/png')).toEqual(['image/png']);
      expect(await getTypes('?type=video/*')).toEqual([]);
      expect(await getTypes('?created_before=2020-01-01T00:00:00Z')).toEqual([]);
      expect(await getTypes('?created_after=2020-01-01T00:00:00Z&limit=1')).toEqual(['text/plain']);
      expect(await app.call('/media?type=image', { key: place.key })).toHaveStatus(400);
    });
  });

  describe('another workspace', () => {
    test('cannot see, get or delete any of it, even with the same bytes', async () => {
      const bytes = randomBytes(100);
      const { body } = await upload(app, home, { bytes });
      const other = await startWorkspace(app);
      for (const [path, method] of [
        [`/media/${body.id}`, 'GET'],
        [`/media/${body.id}/content`, 'GET'],
        [`/media/${body.id}`, 'DELETE'],
      ] as const)
        expect((await app.call(path, { key: other.key, method })).status, `${method} ${path}`).toBe(404);
      expect((await app.call('/media', { key: other.key })).body.data).toEqual([]);
      const own = await upload(app, other, { bytes });
      expect([own.status, own.body.sha256]).toEqual([201, body.sha256]);
      const folders = (await getFiles(app)).filter((path) => path.endsWith(body.sha256));
      expect(folders.map((path) => path.split('/')[0]).sort()).toEqual(
        [home.workspace, other.workspace].map((id) => toUuid('workspace', id)).sort(),
      );
    });
  });
});
