/** Packed request bodies, and charsets, as clients send them to operations. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { unpackBody } from './content-coding.ts';

const MIB = 1024 * 1024;
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await startWorkspace(app));
});
afterAll(() => app.stop());

let tags = 0;
async function createTag(
  pack: (body: Buffer) => Buffer,
  headers: Record<string, string>,
  text = `{"name": "Tag é ${++tags}"}`,
) {
  const response = await fetch(`${app.base}/api/v1/tags`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: new Uint8Array(pack(Buffer.from(text))),
  });
  const body = (await response.json()) as { name?: string; code?: string; detail?: string };
  return { status: response.status, body, headers: response.headers };
}
const same = (body: Buffer): Buffer => body;

describe('a body with Content-Encoding', () => {
  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity', same],
  ])('%s is unpacked', async (coding, pack) => {
    const { status, body } = await createTag(pack, { 'content-encoding': coding });
    expect([status, body.name]).toEqual([201, `Tag é ${tags}`]);
  });

  test.each(['zstd', 'compress', 'gzip, gzip', 'nonsense'])(
    '%s is refused, by a list of those that are not',
    async (coding) => {
      const { status, body, headers } = await createTag(gzipSync, { 'content-encoding': coding });
      expect([status, body.code, headers.get('accept-encoding')]).toEqual([
        415,
        'unsupported_media_type',
        'gzip, br, deflate',
      ]);
    },
  );

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('%s that is broken, or ends early, is refused', async (coding, pack) => {
    const headers = { 'content-encoding': coding };
    for (const broken of [same, (body: Buffer) => pack(body).subarray(0, -4)]) {
      const { status, body } = await createTag(broken, headers);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
  });

  test('counts unpacked: a few bytes that stand for many are refused', async () => {
    for (const [coding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const headers = { 'content-encoding': coding };
      const { status, body } = await createTag(pack, headers, ' '.repeat(20 * MIB));
      expect([status, body.code, body.detail]).toEqual([
        413,
        'payload_too_large',
        expect.stringContaining('1048576'),
      ]);
      const max = await createTag(pack, headers, '{"name": "Full"}'.padEnd(MIB));
      expect([coding, max.status]).toEqual([coding, coding === 'gzip' ? 201 : 409]);
    }
  });

  test('is unpacked no further than its limit', async () => {
    // Whoever unpacks all of it notices that its end is missing.
    const bomb = gzipSync(Buffer.alloc(64 * MIB), { level: 9 }).subarray(0, -1_000);
    await expect(unpackBody(bomb, 'gzip', 65 * MIB)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(unpackBody(bomb, 'gzip', MIB)).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  test('is refused where files are read as they come', async () => {
    const form = new FormData();
    form.append('file', new Blob(['Hello']), 'hello.txt');
    const response = await fetch(`${app.base}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-encoding': 'gzip' },
      body: form,
    });
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  });
});

describe('the charset', () => {
  test.each(['utf-8', '"UTF-8"', 'utf8', 'us-ascii'])('%s is read', async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await createTag(same, { 'content-type': type })).toHaveStatus(201);
  });

  test.each(['iso-8859-1', '"windows-1252"', 'utf-16le'])('%s is refused', async (charset) => {
    const type = `application/json; charset=${charset}`;
    const { status, body } = await createTag(same, { 'content-type': type });
    expect([status, body.code, body.detail]).toEqual([
      415,
      'unsupported_media_type',
      expect.stringContaining('UTF-8'),
    ]);
  });
});
