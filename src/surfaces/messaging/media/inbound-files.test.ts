/** Files that come with messages: streamed in before, theirs with the message's transaction, fetched where there is an address. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createUnits } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createLocalFiles } from './local-files.ts';
import { createWorld, getHolding, sent } from '../../../../test/support/messaging/queue.ts';
import { heard, startInbound } from '../../../../test/support/messaging/inbound.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

test('a file is stored with its message, even if the first transaction was rolled back; a job fetches a URL', async () => {
  await using folder = await temporaryFolder('fairlead-inbound-');
  const files = createLocalFiles(folder.path);
  const world = await createWorld(database.db);
  const jobs: unknown[] = [];
  let failures = 1;
  const units = createUnits({
    db: database.db,
    events: world.units.read.events,
    jobs: { enqueue: async (_db, name, payload) => void jobs.push([name, payload]) },
  });
  const inbound = startInbound(world, {
    media: files,
    units: {
      ...units,
      write: (work) =>
        units.write(async (unit) => {
          const result = await work(unit);
          if (failures-- > 0) throw new Error('the database is away');
          return result;
        }),
    },
  });
  const instanceId = await world.addInstance();
  const held = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
  const received = await inbound.receiveFile(held, Readable.from([PNG]), {
    fileName: 'a/b.png',
    mimeType: 'text/html',
  });
  expect(received.size).toBe(PNG.length);
  const withFile = heard('x1', { type: 'image', text: 'look', file: { received } });
  await expect(inbound.apply(held, [withFile], undefined)).rejects.toThrow('away');
  expect(await query('select from media')).toEqual([]);
  await inbound.apply(
    held,
    [
      withFile,
      heard('x2', {
        type: 'text',
        text: null,
        file: { url: 'https://example.com/x.pdf', fileName: 'x.pdf' },
      }),
    ],
    undefined,
  );

  const [one, two] = await query('select * from messages where instance_id = $1 order by sequence', [
    instanceId,
  ]);
  const media = new Map((await query('select * from media')).map((row) => [row.id, row]));
  const [stored, pending] = [media.get(one.media_id), media.get(two.media_id)];
  expect(one).toMatchObject({
    type: 'image',
    content: { media_id: publicId('media', one.media_id), caption: 'look' },
  });
  // The type is determined from the bytes, not from the sender.
  expect(stored).toMatchObject({ state: 'ready', mime_type: 'image/png', size: PNG.length });
  expect(stored.sha256.toString('hex')).toBe(received.sha256);
  const bytes = await files.read(world.workspaceId, stored.sha256, { start: 0, length: PNG.length });
  const pieces: Buffer[] = [];
  for await (const piece of bytes!) pieces.push(Buffer.from(piece));
  await bytes!.close();
  expect(Buffer.concat(pieces)).toEqual(PNG);
  expect(two).toMatchObject({ type: 'document', content: { file_name: 'x.pdf' } });
  expect(pending).toMatchObject({ state: 'pending', file_name: 'x.pdf' });
  expect(pending.source_sealed).not.toContain('example.com');
  expect(jobs).toEqual([['media.fetch', { workspaceId: world.workspaceId, id: pending.id, tried: 0 }]]);
  await files.close();
});

test('if the workspace has no space for a file, only its message is stored, with the reason', async () => {
  await using folder = await temporaryFolder('fairlead-inbound-');
  const files = createLocalFiles(folder.path);
  const world = await createWorld(database.db);
  const inbound = startInbound(world, { media: files, limits: { media_bytes: 100 } });
  const instanceId = await world.addInstance();
  const held = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
  const receive = (bytes: number, fileName: string) =>
    inbound.receiveFile(held, Readable.from([Buffer.alloc(bytes, 'x')]), { fileName, mimeType: null });
  const tooLarge = Readable.from([Buffer.alloc(101)]);
  // All are received before any is written, so that each has room at first.
  const signals = [
    heard('y1', { type: 'document', file: { received: await receive(60, 'a.txt') } }),
    heard('y2', { type: 'document', file: { received: await receive(60, 'b.txt') } }),
    heard('y3', { source: { received: await receive(50, 'message.eml') } }),
    heard('y4', { source: { received: await receive(40, 'message.eml') } }),
    heard('y5', {
      type: 'image',
      text: 'look',
      file: {
        received: await inbound.receiveFile(held, tooLarge, { fileName: 'c.png', mimeType: 'image/png' }),
      },
    }),
  ];
  expect(tooLarge.destroyed).toBe(true);
  await inbound.apply(held, signals, undefined);

  const rows = await query(
    `select m.external_id, m.type, m.content, f.state, f.size, f.file_name, f.error_code, f.error_detail, s.media_id as source
     from messages m left join media f on f.id = m.media_id left join message_sources s on s.message_id = m.id
     where m.instance_id = $1 order by m.sequence`,
    [instanceId],
  );
  const failed = {
    state: 'failed',
    size: null,
    error_code: 'quota_exceeded',
    error_detail: expect.stringMatching(/ of 100 media bytes\. There was no room for this file\.$/),
  };
  expect(rows).toMatchObject([
    { external_id: 'y1', state: 'ready', size: 60, source: null },
    { external_id: 'y2', type: 'document', content: { file_name: 'b.txt' }, file_name: 'b.txt', ...failed },
    { external_id: 'y3', type: 'text', content: { body: 'text of y3' }, state: null, source: null },
    { external_id: 'y4', state: null, source: expect.any(String) },
    { external_id: 'y5', type: 'image', content: { caption: 'look' }, ...failed },
  ]);
  expect(
    await query('select sum(bytes)::int from media_bytes where workspace_id = $1', [world.workspaceId]),
  ).toEqual([{ sum: 100 }]);
  await files.close();
});
