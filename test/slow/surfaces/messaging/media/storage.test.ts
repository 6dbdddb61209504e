/** What lies in the store: once for each content, nothing half, nothing that nobody refers to. */
import { randomBytes, randomUUID } from 'node:crypto';
import net from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUnits, type Units } from '../../../../../src/core/unit/unit-of-work.ts';
import { toUuid } from '../../../../../src/core/vocabulary/ids.ts';
import { needs } from '../../../../support/needs.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../support/test-app.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { eraseWorkspace } from '../../../../../src/core/workspaces/erasure.ts';
import { createLocalFiles } from '../../../../../src/surfaces/messaging/media/local-files.ts';
import { MAX_BYTES, type MediaFiles } from '../../../../../src/surfaces/messaging/media/media-files.ts';
import { sweepMedia } from '../../../../../src/surfaces/messaging/media/media-sweep.ts';
import { openMediaFiles } from '../../../../../src/surfaces/messaging/media/open-files.ts';
import { getFiles, PNG, STORES, type TestStore, upload } from '../../../../support/messaging/media.ts';

/** Elsewhere a file without a name can't be seen. */
const LINUX = needs('Linux', process.platform === 'linux');

describe.each(STORES)('media in %s', (where, openStore) => {
  let app: TestApp;
  let store: TestStore;
  let media: MediaFiles;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  let units: Units;
  beforeAll(async () => {
    store = await openStore();
    app = await startTestApp(store.env);
    home = await startWorkspace(app);
    const never = {} as never;
    units = createUnits({ db: app.database.db, events: never, jobs: never });
    media = openMediaFiles(app.config, { units, log: app.app.server.log });
  });
  afterAll(async () => {
    await media.close();
    await app.stop();
    await store.stop();
  });

  const remove = (id: string) => app.call(`/media/${id}`, { key: home.key, method: 'DELETE' });
  const getContent = (id: string) => app.call(`/media/${id}/content`, { key: home.key });
  const holds = async (sha256: string): Promise<number> =>
    (await getFiles(app)).filter((path) => path.endsWith(sha256)).length;
  const rows = async (): Promise<number> =>
    Number((await app.database.pool.query('select count(*) from media')).rows[0].count);
  const AGES_AGO = new Date(Date.now() - 7_200_000);

  describe('the same bytes', () => {
    test('are stored once, and go with the last that has them', async () => {
      const bytes = randomBytes(1000);
      const [one, two] = await Promise.all([upload(app, home, { bytes }), upload(app, home, { bytes })]);
      expect(one.body.id).not.toBe(two.body.id);
      expect(await holds(one.body.sha256)).toBe(1);
      expect(await remove(one.body.id)).toHaveStatus(204);
      expect(await remove(one.body.id)).toHaveStatus(404);
      await vi.waitFor(async () => {
        const { rows: jobs } = await app.database.pool.query(
          "select 1 from pgboss.job where name = 'media.collect' and state <> 'completed'",
        );
        expect(jobs).toEqual([]);
      }, 15_000);
      expect(await getContent(two.body.id)).toHaveStatus(200);
      expect(await remove(two.body.id)).toHaveStatus(204);
      await vi.waitFor(async () => expect(await holds(one.body.sha256)).toBe(0), 15_000);
    });

    test('come and go at once, and no row is ever without its file', async () => {
      const bytes = randomBytes(2000);
      const rounds = Array.from({ length: 8 }, async () => {
        for (let round = 0; round < 6; round++) {
          const { body } = await upload(app, home, { bytes });
          expect(await getContent(body.id)).toHaveStatus(200);
          expect(await remove(body.id)).toHaveStatus(204);
        }
      });
      await Promise.all(rounds);
      const { body } = await upload(app, home, { bytes });
      expect(await getContent(body.id)).toHaveStatus(200);
      await remove(body.id);
      await vi.waitFor(async () => expect(await holds(body.sha256)).toBe(0), 15_000);
    });
  });

  describe('what is broken off', () => {
    /** Sends the beginning of a form; then the caller leaves. */
    async function leaveAmid(announced: number, sent: number): Promise<void> {
      const socket = net.connect(Number(new URL(app.base).port), '127.0.0.1');
      const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
      socket.write(
        `POST /api/v1/media HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${home.key}\r\n` +
          `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${announced}\r\n\r\n${head}`,
      );
      socket.write(randomBytes(sent));
      await vi.waitFor(async () =>
        expect((await getFiles(app)).filter((path) => path.startsWith('incoming'))).toHaveLength(1),
      );
      socket.destroy();
    }

    test('leaves nothing', where === 'S3' ? LINUX : {}, async () => {
      const [files, before] = [await getFiles(app), await rows()];
      await leaveAmid(5_000_000, 300_000);
      await vi.waitFor(async () => expect(await getFiles(app)).toEqual(files));
      expect(await rows()).toBe(before);
    });

    test('leaves nothing when it is too large, told at once or amid it', async () => {
      const [files, before] = [await getFiles(app), await rows()];
      const told = await upload(app, home, { bytes: Buffer.alloc(MAX_BYTES + 300_000) });
      expect([told.status, told.body.code]).toEqual([413, 'payload_too_large']);
      // As large as a form may be, so that only the file itself shows that it is too large.
      const amid = await upload(app, home, { bytes: Buffer.alloc(MAX_BYTES + 1) });
      expect([amid.status, amid.body.code]).toEqual([413, 'payload_too_large']);
      expect(await getFiles(app)).toEqual(files);
      expect(await rows()).toBe(before);
    });

    test('a file of the largest size is taken', async () => {
      const { status, body } = await upload(app, home, { bytes: Buffer.alloc(MAX_BYTES, 1) });
      expect([status, body.size]).toEqual([201, MAX_BYTES]);
      await remove(body.id);
    });
  });

  describe('the sweep', () => {
    const sweep = () => sweepMedia(units, media, new Date());
    const lay = async (path: string, at?: Date): Promise<string> => {
      await store.lay(app, path);
      if (at) await store.age(app, path, at);
      return path;
    };

    test('removes what a crash left, and nothing that is used, young or not its own', async () => {
      const { body } = await upload(app, home, { bytes: PNG });
      const workspace = toUuid('workspace', home.workspace)!;
      const used = `${workspace}/${body.sha256.slice(0, 2)}/${body.sha256}`;
      await store.age(app, used, AGES_AGO);
      const stale = [
        await lay(`${store.aside}/${randomUUID()}`, AGES_AGO),
        await lay(`${workspace}/ab/ab${'0'.repeat(62)}`, AGES_AGO),
        await lay(`${randomUUID()}/cd/cd${'0'.repeat(62)}`, AGES_AGO),
      ];
      const kept = [
        used,
        await lay(`${store.aside}/${randomUUID()}`),
        await lay(`${workspace}/ab/ab${'1'.repeat(62)}`),
        await lay('found/note', AGES_AGO),
        await lay('README', AGES_AGO),
      ];
      expect(await sweep()).toBe(stale.length);
      const left = await getFiles(app);
      for (const path of stale) expect(left).not.toContain(path);
      for (const path of kept) expect(left).toContain(path);
      expect(await getContent(body.id)).toHaveStatus(200);
      expect(await sweep()).toBe(0);
    });
  });

  test('a workspace that is erased leaves no file', async () => {
    const doomed = await startWorkspace(app);
    await upload(app, doomed, { bytes: 'doomed' });
    const id = toUuid('workspace', doomed.workspace)!;
    expect((await getFiles(app)).some((path) => path.startsWith(id))).toBe(true);
    const { slug } = (await doomed.owner.call('/workspaces')).body.data[0];
    await doomed.owner.call(`/workspaces/${doomed.workspace}?slug=${slug}`, {
      workspace: doomed.workspace,
      method: 'DELETE',
    });
    await eraseWorkspace({ db: app.database.db, eraseFiles: media.removeWorkspace }, { workspaceId: id });
    expect((await getFiles(app)).some((path) => path.startsWith(id))).toBe(false);
  });
});

describe('room on the disk', () => {
  const received = async (free: number, bytes: number, announced: number | null = bytes) => {
    await using folder = await temporaryFolder();
    const blocks = 1000 * 1024;
    const disk = { bavail: free * 1024, bfree: free * 1024, blocks, bsize: 1024, files: 0, ffree: 0 };
    const files = createLocalFiles(folder.path, { reserve: { share: 0.05 }, getRoom: async () => disk });
    const file = await files.receive(Readable.from([Buffer.alloc(bytes)]), announced);
    return file.size;
  };

  test('is kept: below five per cent nothing is taken', async () => {
    expect(await received(51, 100)).toBe(100);
    await expect(received(49, 100)).rejects.toMatchObject({ code: 'storage_full', status: 507 });
    // It would go below with this file.
    await expect(received(51, 2 * 1024 * 1024)).rejects.toMatchObject({ code: 'storage_full' });
  });
});
