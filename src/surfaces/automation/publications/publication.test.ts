import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import {
  type PublishingWorld,
  shown,
  startPublishing,
} from '../../../../test/support/automation/publications.ts';

let world: PublishingWorld;
beforeAll(async () => {
  world = await startPublishing();
});
afterAll(() => world.app.stop());

const posted: PublishingWorld['posted'] = (...given) => world.posted(...given);
const isTold: PublishingWorld['isTold'] = (...given) => world.isTold(...given);
const cancel = (id: string) => world.call(`/publications/${id}/cancel`, {});
const LATER = { schedule: { delay_seconds: 3_600 } };

describe('what is received', () => {
  test('is answered once it is stored, and published to each destination once', async () => {
    const other = await world.connect('Other');
    const made = await world.endpoint({
      destinations: [world.destination(), world.destination({ instance_id: other, to: 'bob' })],
    });
    const { status, body } = await world.post(made);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'received',
      results: [],
      endpoint_id: made.id,
      source: 'secret_url',
    });
    const published = await world.until(body.id, 'published');
    expect(shown(published, 'destination', 'to', 'type', 'attempts')).toEqual([
      [0, 'alice', 'text', 1],
      [1, 'bob', 'text', 1],
    ]);
    expect(published.finished_at).not.toBeNull();
    for (const { message_id: id } of published.results) {
      const message = (await world.call(`/messages/${id}`)).body;
      expect([message.text.body, message.source, message.status === 'queued']).toEqual([
        'New: Hello',
        'publishing',
        false,
      ]);
    }
    await isTold(body.id, 'received', 'published');
    await world.until(body.id, 'published', { results: [{ status: 'read' }, { status: 'read' }] });
  });

  test('is published in the order of its receipt', async () => {
    const made = await world.endpoint({ destinations: [world.destination({ to: 'order' })] });
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await posted(made, { title: n }));
    const sequences: number[] = [];
    for (const id of ids) {
      const [{ message_id: message }] = (await world.until(id, 'published')).results;
      sequences.push((await world.call(`/messages/${message}`)).body.sequence);
    }
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  });

  test('is counted, and kept as a sample with what looks secret masked, rejected or not', async () => {
    const made = await world.endpoint({ filter: 'payload.wanted' });
    const held = await posted(made, { title: 'no', password: 'hunter2' });
    const wanted = await posted(made, { title: 'yes', wanted: true });
    await world.until(wanted, 'published');
    const samples = await vi.waitFor(async () => {
      const rows = await world.rows(
        'select id, payload from publishing_samples where endpoint_id = $1 order by id',
        [toUuid('publishing_endpoint', made.id)],
      );
      expect(rows).toHaveLength(2);
      return rows;
    }, PATIENCE);
    expect(samples.map(({ id }) => publicId('publication', id))).toEqual([held, wanted]);
    expect(samples[0].payload).toEqual({ title: 'no', password: '[masked]' });
    expect((await world.read(held)).payload.password).toBe('[masked]');
    expect((await world.call(`/publishing-endpoints/${made.id}`)).body.received).toBe(2);
  });

  test('keeps the last twenty samples', async () => {
    const made = await world.endpoint({ filter: 'false' });
    const ids: string[] = [];
    for (let n = 0; n < 23; n++) ids.push(await posted(made, { title: n }));
    await vi.waitFor(async () => {
      const rows = await world.rows('select id from publishing_samples where endpoint_id = $1 order by id', [
        toUuid('publishing_endpoint', made.id),
      ]);
      expect(rows.map(({ id }) => publicId('publication', id))).toEqual(ids.slice(-20));
    }, PATIENCE);
  });
});

describe('what is not published', () => {
  test('is held back by the filter', async () => {
    const made = await world.endpoint({ filter: 'payload.status == "published"' });
    const id = await posted(made, { status: 'draft' });
    expect(await world.read(id)).toMatchObject({ status: 'canceled', reason: 'filtered', results: [] });
    await isTold(id, 'canceled');
  });

  test('is a duplicate within a day, also where both come at once', async () => {
    const made = await world.endpoint({ dedupe_key: '{{ payload.id }}' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.post(made, { id: 7 })));
    const { received = [], duplicate = [] } = Object.groupBy(answers, ({ body }) => body.status);
    expect([received.length, duplicate.length]).toEqual([1, 5]);
    const first = received[0]!.body.id;
    expect(duplicate.map(({ body }) => body.duplicate_of)).toEqual(Array.from({ length: 5 }, () => first));
    await isTold(duplicate[0]!.body.id, 'duplicate');
    await world.rows(
      "update publication_keys set expires_at = now() - interval '1 second' where publication_id = $1",
      [toUuid('publication', first)],
    );
    expect((await world.post(made, { id: 7 })).body.status).toBe('received');
    expect((await world.post(made, { id: 7 })).body.status).toBe('duplicate');
    expect((await world.post(made, {})).body.status).toBe('received'); // without a key nothing is the same
    expect((await world.post(made, {})).body.status).toBe('received');
  });

  test('is rejected for what can be known, with pointers into the endpoint, and takes no key', async () => {
    const idle = (await world.call('/instances', { name: 'Idle', channel: 'sandbox' })).body.id;
    const made = await world.endpoint({
      dedupe_key: 'x',
      destinations: [world.destination(), world.destination({ instance_id: idle })],
    });
    const { status, body } = await world.post(made);
    expect([status, body.code, body.errors[0].pointer]).toEqual([
      422,
      'instance_disconnected',
      '/destinations/1/instance_id',
    ]);
    const { publication_id: id } = body;
    expect(await world.read(id)).toMatchObject({
      status: 'rejected',
      results: [],
      error: { code: 'instance_disconnected', errors: body.errors },
    });
    await isTold(id, 'rejected');
    await world.call(`/publishing-endpoints/${made.id}`, { destinations: [world.destination()] }, 'PATCH');
    expect((await world.post(made)).body.status).toBe('received');
  });

  test('is rejected for what a template makes', async () => {
    const made = await world.endpoint({
      destinations: [
        world.destination({ template: '{{ payload.missing }}' }),
        world.destination({ type: 'location', template: '[1]' }),
        world.destination({ type: '{{ payload.type }}' }),
      ],
    });
    const { status, body } = await world.post(made, { type: 'nonsense' });
    expect([status, body.code]).toEqual([422, 'unprocessable']);
    expect(
      body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    ).toEqual(
      expect.arrayContaining([
        ['/destinations/0/template', 'template_empty'],
        ['/destinations/1/template', 'template_failed'],
      ]),
    );
  });

  test('takes what PostgreSQL could not, and JSON that is null', async () => {
    const made = await world.endpoint({ destinations: [world.destination({ template: 'x' })] });
    for (const payload of [null, [], 'text', { a: '\u{1F600}' }]) {
      const { payload: kept } = await world.until(await posted(made, payload), 'published');
      expect(kept).toEqual(payload);
    }
  });
});

describe('what waits', () => {
  test('is canceled as long as it does', async () => {
    const made = await world.endpoint(LATER);
    const { body } = await world.post(made);
    expect([body.status, body.scheduled_at > body.created_at]).toEqual(['scheduled', true]);
    expect(await cancel(body.id)).toMatchObject({
      status: 200,
      body: { status: 'canceled', reason: 'user' },
    });
    expect(await cancel(body.id)).toHaveStatus(200);
    expect(
      await world.rows('select 1 from publication_queue where publication_id = $1', [
        toUuid('publication', body.id),
      ]),
    ).toEqual([]);
    await isTold(body.id, 'scheduled', 'canceled');
    const id = await posted(await world.endpoint());
    await world.until(id, 'published');
    expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await cancel(publicId('publication', newUuid()))).toHaveStatus(404);
  });

  test('is published when its time comes', async () => {
    const id = await posted(await world.endpoint(LATER));
    await world.makeDue(id);
    expect((await world.until(id, 'published')).finished_at).not.toBeNull();
    await isTold(id, 'scheduled', 'published');
  });

  test('ends with its endpoint', async () => {
    const made = await world.endpoint(LATER);
    const id = await posted(made);
    expect(await world.call(`/publishing-endpoints/${made.id}`, undefined, 'DELETE')).toHaveStatus(204);
    expect((await world.until(id, 'canceled')).reason).toBe('endpoint_deleted');
  });
});

test('lists go by endpoint and status, newest first', async () => {
  const made = await world.endpoint({ filter: 'payload.wanted' });
  const ids = [await posted(made, { wanted: true }), await posted(made, {}), await posted(made, {})];
  const list = async (query: string): Promise<string[]> =>
    (await world.call(`/publications?endpoint_id=${made.id}${query}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );
  expect(await list('')).toEqual(ids.toReversed());
  expect(await list('&status=canceled')).toEqual([ids[2], ids[1]]);
  const page = (await world.call(`/publications?endpoint_id=${made.id}&status=canceled&limit=1`)).body;
  expect([page.data[0].id, page.has_more]).toEqual([ids[2], true]);
  const rest = (
    await world.call(
      `/publications?endpoint_id=${made.id}&status=canceled&limit=1&cursor=${page.next_cursor}`,
    )
  ).body;
  expect([rest.data[0].id, rest.has_more]).toEqual([ids[1], false]);
});
