import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { makeKey, outcome } from '../../../../test/support/workspaces.ts';
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
const replay = (id: string, body: object = {}) => world.call(`/publications/${id}/replay`, body);
const LATER = { schedule: { delay_seconds: 3_600 } };

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
      PATIENCE,
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
    expect(await world.typesAbout(id)).toEqual(['publication.scheduled', 'publication.failed']);
  });

  test('fails for good where its account was deleted meanwhile', async () => {
    const gone = await world.connect('Deleted');
    const made = await world.endpoint({
      ...LATER,
      destinations: [world.destination(), world.destination({ instance_id: gone })],
    });
    const id = await posted(made);
    expect(await world.call(`/instances/${gone}`, undefined, 'DELETE')).toHaveStatus(204);
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
    expect(await world.post(all)).toHaveStatus(422);
  });

  test('holds up nobody, also where it can’t be read at all', async () => {
    const made = await world.endpoint(LATER);
    const [bad, good] = [await posted(made), await posted(made)];
    await world.rows(`update publication_inputs set messages = '{"no": "list"}' where publication_id = $1`, [
      toUuid('publication', bad),
    ]);
    await world.makeDue(bad);
    await world.makeDue(good);
    await world.until(good, 'published');
    await vi.waitFor(async () => {
      const [row] = await world.rows(
        'select failures > 0 as failed, due_at > now() as later from publication_queue where publication_id = $1',
        [toUuid('publication', bad)],
      );
      expect(row).toEqual({ failed: true, later: true });
    }, PATIENCE);
  });
});

describe('replay', () => {
  test('is for who may send, and not for who may only change endpoints', async () => {
    const made = await world.endpoint();
    const id = await posted(made);
    await world.until(id, 'published');
    const tryWith = async (scopes: string[]) => {
      const key = await makeKey(world.home, { scopes });
      return outcome(await world.app.call(`/publications/${id}/replay`, { key, body: {} }));
    };
    expect(await tryWith(['publishing:read', 'publishing:write'])).toEqual([403, 'insufficient_scope']);
    expect((await tryWith(['publishing:write', 'messages:write']))[0]).toBe(202);
  });

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
    expect(await replay(id)).toHaveStatus(409);
    await world.call(`/instances/${away}/disconnect`, {});
    await world.makeDue(id);
    await world.until(id, 'partially_published', { finished_at: null });
    const rejected = await replay(id, { template: 'original', only: 'failed' });
    expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([422, '/destinations/1/instance_id']);
    expect((await world.read(id)).finished_at).toBeNull(); // it is still retried automatically
    await world.call(`/instances/${away}/connect`, {});
    await vi.waitFor(
      async () => expect((await world.call(`/instances/${away}`)).body.state).toBe('connected'),
      PATIENCE,
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
    expect(await replay(body.id, { template: 'original', only: 'failed' })).toHaveStatus(409);
    expect(await replay(id, { only: 'failed' })).toHaveStatus(422);
  });
});
