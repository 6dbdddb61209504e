import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { PNG, upload } from '../../../../test/support/messaging/media.ts';
import { createThumbnails } from './thumbnails.ts';

/** 8 × 4 pixels, with an author in its EXIF data. */
const JPEG = Buffer.from(
  '/9j/4QDQRXhpZgAASUkqAAgAAAAHABIBAwABAAAAAQAAABoBBQABAAAAYgAAABsBBQABAAAAagAAACgBAwABAAAAAgAAADsBAgAIAAAAcgAAABMCAwABAAAAAQAAAGmHBAABAAAAegAAAAAAAAA4YwAA6AMAADhjAADoAwAAU29tZW9uZQAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8AAAKgBAABAAAACAAAAAOgBAABAAAABAAAAAAAAAD/2wBDABQUFBQVFBcZGRcfIh4iHy4rJycrLkYyNjI2MkZqQk5CQk5Cal5yXVZdcl6phXZ2hanDpJukw+zT0+z/////////2wBDARQUFBQVFBcZGRcfIh4iHy4rJycrLkYyNjI2MkZqQk5CQk5Cal5yXVZdcl6phXZ2hanDpJukw+zT0+z/////////wgARCAAEAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAVAQEBAAAAAAAAAAAAAAAAAAAEBv/aAAwDAQACEAMQAAAAmAdF/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPwB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPwB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwB//9k=',
  'base64',
);

/** Of the same photo, taken with the camera held upright. */
function turned(): Buffer {
  const photo = Buffer.from(JPEG);
  photo[photo.indexOf('12010300', 'hex') + 8] = 6;
  return photo;
}

/** A black PNG, one bit a pixel. */
function blackPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return Buffer.concat([
    PNG.subarray(0, 8),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Of a simple lossy WebP (RFC 9649, section 2.5). */
function webpSize(bytes: Buffer): [number, number] {
  expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWEBPVP8 ');
  return [bytes.readUInt16LE(26) & 0x3f_ff, bytes.readUInt16LE(28) & 0x3f_ff];
}

describe('thumbnails', () => {
  let app: TestApp;
  let key: string;
  beforeAll(async () => {
    app = await startTestApp();
    ({ key } = await startWorkspace(app));
  });
  afterAll(() => app.stop());

  const add = async (bytes: Buffer | string, name?: string) =>
    (await upload(app, { key }, { bytes, name })).body;
  const get = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(app.base + new URL(url).pathname, init);
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };

  test('are small, upright and without metadata', async () => {
    const wide = await get((await add(blackPng(3000, 1500))).thumbnail_url);
    expect(wide).toHaveStatus(200);
    expect(wide.headers.get('content-type')).toBe('image/webp');
    expect(wide.headers.get('content-security-policy')).toContain('sandbox');
    expect(wide.headers.get('x-content-type-options')).toBe('nosniff');
    expect(webpSize(wide.bytes)).toEqual([640, 320]);

    expect(JPEG.includes('Someone')).toBe(true);
    const lying = await get((await add(JPEG)).thumbnail_url);
    expect(webpSize(lying.bytes)).toEqual([8, 4]);
    expect(lying.bytes.includes('Someone')).toBe(false);
    const upright = await get((await add(turned())).thumbnail_url);
    expect(webpSize(upright.bytes)).toEqual([4, 8]);
  });

  test('are not sent again to who has them, and end with the file', async () => {
    const media = await add(blackPng(20, 10));
    const first = await get(media.thumbnail_url);
    const etag = first.headers.get('etag')!;
    expect(await get(media.thumbnail_url, { headers: { 'if-none-match': etag } })).toHaveStatus(304);
    const head = await get(media.thumbnail_url, { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(await get(media.thumbnail_url, { method: 'POST' })).toHaveStatus(405);
    expect(await get(media.thumbnail_url.replace('/media/', '/media/A'))).toHaveStatus(404);

    await app.call(`/media/${media.id}`, { key, method: 'DELETE' });
    expect(await get(media.thumbnail_url)).toHaveStatus(404);
  });

  test('have a URL that no replay shows', async () => {
    const caller = { key, headers: { 'idempotency-key': 'once' } };
    const [first, again] = [
      await upload(app, caller, { bytes: PNG }),
      await upload(app, caller, { bytes: PNG }),
    ];
    expect(first.body.thumbnail_url).toBe(`${first.body.url}/thumbnail`);
    expect(again.body).toEqual({ ...first.body, url: null, thumbnail_url: null });
    const { rows } = await app.database.pool.query('select body::text from idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain('/media/');
  });

  test('other files and damaged images have none', async () => {
    const text = await add('hello', 'a.txt');
    expect(text.thumbnail_url).toBeNull();
    const refused = async (url: string) => {
      const { status, bytes } = await get(url);
      return [status, JSON.parse(bytes.toString()).code];
    };
    expect(await refused(`${text.url}/thumbnail`)).toEqual([422, 'no_thumbnail']);
    const damaged = await add(Buffer.concat([PNG.subarray(0, 30), Buffer.alloc(100, 7)]));
    expect(await refused(damaged.thumbnail_url)).toEqual([422, 'no_thumbnail']);
    // 160 million pixels in 20 kB.
    const huge = await add(blackPng(16_000, 10_000));
    expect(huge.size).toBeLessThan(30_000);
    expect(await refused(huge.thumbnail_url)).toEqual([422, 'no_thumbnail']);
    expect(webpSize((await get((await add(blackPng(30, 60))).thumbnail_url)).bytes)).toEqual([30, 60]);
  });
});

const bytes = blackPng(100, 50);
const createFile = (read: () => void) => ({
  workspaceId: 'ws',
  size: bytes.length,
  sha256: Buffer.alloc(32, 1),
  type: 'image/png',
  name: null,
  read: async () => {
    read();
    return Object.assign(
      (async function* pieces() {
        yield bytes.subarray(0, 40);
        yield bytes.subarray(40);
      })(),
      { close: async () => undefined },
    );
  },
});

test('a picture is read once for all who ask at the same time', async () => {
  const thumbnails = createThumbnails({ log: { error: (_details, message) => expect.fail(message) } });
  const read = vi.fn<() => void>();
  const file = createFile(read);
  const all = await Promise.all(Array.from({ length: 5 }, () => thumbnails.get(file, ['anna'])));
  expect(read).toHaveBeenCalledTimes(1);
  expect(new Set(all).size).toBe(1);
  await thumbnails.close();
  await expect(thumbnails.get({ ...file, sha256: Buffer.alloc(32, 2) }, ['anna'])).rejects.toThrow(
    'stopping',
  );
});

test('a process that ends says nothing about the picture', async () => {
  const error = vi.fn<() => void>();
  await using folder = await temporaryFolder();
  const entry = join(folder.path, 'entry.mjs');
  await writeFile(entry, 'process.on("message", () => process.exit(1));');
  const thumbnails = createThumbnails({ log: { error }, entry });
  const read = vi.fn<() => void>();
  for (const tries of [1, 2]) {
    await expect(thumbnails.get(createFile(read), ['anna'])).rejects.toMatchObject({ code: 'unavailable' });
    expect(read).toHaveBeenCalledTimes(tries);
  }
  expect(error).toHaveBeenCalledTimes(2);
  await thumbnails.close();
});

test('a process that has grown large is ended without a word, and another one draws the next', async () => {
  const error = vi.fn<() => void>();
  await using folder = await temporaryFolder();
  const entry = join(folder.path, 'entry.mjs');
  await writeFile(
    entry,
    `process.on("message", () => process.send({ picture: Buffer.from(String(process.pid)), memory: 1e12 }));`,
  );
  const thumbnails = createThumbnails({ log: { error }, entry });
  const draw = async (nth: number) =>
    String(await thumbnails.get({ ...createFile(() => undefined), sha256: Buffer.alloc(32, nth) }, ['anna']));
  expect(await draw(1)).not.toBe(await draw(2));
  expect(error).not.toHaveBeenCalled();
  await thumbnails.close();
});
