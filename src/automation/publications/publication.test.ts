import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newUuid, publicId, uuidOf } from '../../http/ids.ts';
import { eventsOf } from '../../workspaces/testing.ts';
import { PATIENT, type PublishingWorld, startPublishing } from './testing.ts';

let world: PublishingWorld;
beforeAll(async () => {
  world = await startPublishing();
});
afterAll(() => world.app.stop());

/** Of each destination. */
const shown = ({ results }: { results: Record<string, unknown>[] }, ...names: string[]) =>
  results.map((one) => names.map((name) => one[name]));

const typesAbout = async (id: string): Promise<string[]> =>
  (await eventsOf(world.app, uuidOf('workspace', world.home.workspace)!))
    .filter(({ data }) => data.object.id === id)
    .map(({ type }) => type);

/** Tells of each in this order. */
const isTold = (id: string, ...types: string[]) =>
  vi.waitFor(
    async () => expect(await typesAbout(id)).toEqual(types.map((type) => `publication.${type}`)),
    PATIENT,
  );
const posted = async (...given: Parameters<PublishingWorld['post']>): Promise<string> => {
  const { status, body } = await world.post(...given);
  expect([status, body.errors]).toEqual([202, undefined]);
  return body.id;
};
const cancel = (id: string) => world.call(`/publications/${id}/cancel`, {});
const replay = (id: string, body: object = {}) => world.call(`/publications/${id}/replay`, body);
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
        [uuidOf('publishing_endpoint', made.id)],
      );
      expect(rows).toHaveLength(2);
      return rows;
    }, PATIENT);
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
        uuidOf('publishing_endpoint', made.id),
      ]);
      expect(rows.map(({ id }) => publicId('publication', id))).toEqual(ids.slice(-20));
    }, PATIENT);
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
      [uuidOf('publication', first)],
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
    const id = /pub_[0-9a-z]{26}/.exec(body.detail)![0];
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
    for (const payload of [null, [], 'text', { a: '\u{1F600}' }])
      await world.until(await posted(made, payload), 'published');
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
    expect((await cancel(body.id)).status).toBe(200);
    expect(
      await world.rows('select 1 from publication_queue where publication_id = $1', [
        uuidOf('publication', body.id),
      ]),
    ).toEqual([]);
    await isTold(body.id, 'scheduled', 'canceled');
    const id = await posted(await world.endpoint());
    await world.until(id, 'published');
    expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await cancel(publicId('publication', newUuid()))).status).toBe(404);
  });

  test('is published when its time comes', async () => {
    const id = await posted(await world.endpoint(LATER));
    await world.makeDue(id);
    await world.until(id, 'published');
    await isTold(id, 'scheduled', 'published');
  });

  test('ends with its endpoint', async () => {
    const made = await world.endpoint(LATER);
    const id = await posted(made);
    expect((await world.call(`/publishing-endpoints/${made.id}`, undefined, 'DELETE')).status).toBe(204);
    await world.until(id, 'canceled', { reason: 'endpoint_deleted' });
  });
});

describe('a destination that fails', () => {
  test('leaves the others, and what the channel refused for good is not tried again', async () => {
    const made = await world.endpoint({
      destinations: [world.destination(), world.destination({ to: 'fail@x' })],
    });
    const id = await posted(made);
    const partial = await world.until(id, 'partially_published');
    expect(shown(partial, 'error', 'next_attempt_at')[1]).toEqual([
      expect.objectContaining({ code: 'recipient_unknown', retryable: false }),
      null,
    ]);
    await isTold(id, 'received', 'partially_published');
  });

  test('is tried again by itself where the channel surely has nothing, with one message in the end', async () => {
    const flaky = await world.connect('Flaky');
    const made = await world.endpoint({
      ...LATER,
      destinations: [world.destination({ instance_id: flaky })],
    });
    const id = await posted(made);
    await world.call(`/instances/${flaky}/disconnect`, {});
    await world.makeDue(id);
    const failed = await world.until(id, 'failed', { finished_at: null });
    expect(shown(failed, 'error', 'attempts', 'message_id')).toEqual([
      [expect.objectContaining({ code: 'instance_disconnected', retryable: true }), 1, null],
    ]);
    await world.call(`/instances/${flaky}/connect`, {});
    await vi.waitFor(
      async () => expect((await world.call(`/instances/${flaky}`)).body.state).toBe('connected'),
      PATIENT,
    );
    await world.makeDue(id);
    const published = await world.until(id, 'published');
    expect(shown(published, 'attempts', 'error', 'next_attempt_at')).toEqual([[2, null, null]]);
    await isTold(id, 'scheduled', 'failed', 'published');
  });

  test('is given up after three more tries', async () => {
    const gone = await world.connect('Gone');
    const made = await world.endpoint({ ...LATER, destinations: [world.destination({ instance_id: gone })] });
    const id = await posted(made);
    await world.call(`/instances/${gone}/disconnect`, {});
    for (let attempts = 1; attempts <= 4; attempts++) {
      await world.makeDue(id);
      await world.until(id, 'failed', { results: [{ attempts }] });
    }
    expect((await world.read(id)).finished_at).not.toBeNull();
    expect(await typesAbout(id)).toEqual(['publication.scheduled', 'publication.failed']);
  });

  test('fails for good where its account was deleted meanwhile', async () => {
    const gone = await world.connect('Deleted');
    const made = await world.endpoint({
      ...LATER,
      destinations: [world.destination(), world.destination({ instance_id: gone })],
    });
    const id = await posted(made);
    expect((await world.call(`/instances/${gone}`, undefined, 'DELETE')).status).toBe(204);
    await world.makeDue(id);
    const partial = await world.until(id, 'partially_published');
    expect(shown(partial, 'error', 'next_attempt_at')[1]).toEqual([
      expect.objectContaining({ code: 'not_found', retryable: false }),
      null,
    ]);
  });

  test('does not refuse the others with allow_partial', async () => {
    const idle = (await world.call('/instances', { name: 'Idle too', channel: 'sandbox' })).body.id;
    const destinations = [
      world.destination(),
      world.destination({ instance_id: idle }),
      world.destination({ template: '{{ payload.missing }}' }),
    ];
    const made = await world.endpoint({ allow_partial: true, destinations });
    const partial = await world.until(await posted(made), 'partially_published');
    expect(shown(partial, 'status', 'attempts')).toEqual([
      [expect.stringMatching(/sent|delivered|read/), 1],
      ['failed', 1],
      ['failed', 0],
    ]);
    const all = await world.endpoint({ allow_partial: true, destinations: destinations.slice(1) });
    expect((await world.post(all)).status).toBe(422);
  });

  test('holds up nobody, also where it can’t be read at all', async () => {
    const made = await world.endpoint(LATER);
    const [bad, good] = [await posted(made), await posted(made)];
    await world.rows(`update publication_inputs set messages = '{"no": "list"}' where publication_id = $1`, [
      uuidOf('publication', bad),
    ]);
    await world.makeDue(bad);
    await world.makeDue(good);
    await world.until(good, 'published');
    await vi.waitFor(async () => {
      const [row] = await world.rows(
        'select failures, due_at > now() as later from publication_queue where publication_id = $1',
        [uuidOf('publication', bad)],
      );
      expect(row).toEqual({ failures: 1, later: true });
    }, PATIENT);
  });
});

describe('replay', () => {
  test('publishes again, by the definition of now or of then', async () => {
    const made = await world.endpoint({ dedupe_key: 'x', filter: 'payload.title == "Hello"' });
    const id = await posted(made);
    await world.until(id, 'published');
    await world.call(
      `/publishing-endpoints/${made.id}`,
      { destinations: [world.destination({ template: 'Now: {{ payload.title }}' })], filter: 'false' },
      'PATCH',
    );
    for (const [template, text, revision] of [
      ['present', 'Now: Hello', 2],
      ['original', 'New: Hello', 1],
    ]) {
      const { status, body } = await replay(id, { template });
      expect([status, body.status, body.source, body.replay_of, body.revision]).toEqual([
        202,
        'received',
        'replay',
        id,
        revision,
      ]);
      const [{ message_id: message }] = (await world.until(body.id, 'published')).results;
      expect((await world.call(`/messages/${message}`)).body.text.body).toBe(text);
    }
    expect((await world.call(`/publishing-endpoints/${made.id}`)).body.received).toBe(1);
  });

  test('of what failed goes to that alone, and leaves nothing to be tried again besides', async () => {
    const away = await world.connect('Away');
    const made = await world.endpoint({
      ...LATER,
      destinations: [world.destination(), world.destination({ instance_id: away })],
    });
    const id = await posted(made);
    expect((await replay(id)).status).toBe(409);
    await world.call(`/instances/${away}/disconnect`, {});
    await world.makeDue(id);
    await world.until(id, 'partially_published', { finished_at: null });
    const refused = await replay(id, { template: 'original', only: 'failed' });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/destinations/1/instance_id']);
    expect((await world.read(id)).finished_at).toBeNull(); // it is still tried by itself
    await world.call(`/instances/${away}/connect`, {});
    await vi.waitFor(
      async () => expect((await world.call(`/instances/${away}`)).body.state).toBe('connected'),
      PATIENT,
    );
    const { status, body } = await replay(id, { template: 'original', only: 'failed' });
    expect(status).toBe(202);
    expect(shown(await world.until(body.id, 'published'), 'destination')).toEqual([[1]]);
    const before = await world.read(id);
    expect([before.status, before.finished_at === null, before.results[1].next_attempt_at]).toEqual([
      'partially_published',
      false,
      null,
    ]);
    expect((await replay(body.id, { template: 'original', only: 'failed' })).status).toBe(409);
    expect((await replay(id, { only: 'failed' })).status).toBe(422);
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
