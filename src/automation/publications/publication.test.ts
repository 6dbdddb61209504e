import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { uuidOf } from '../../http/ids.ts';
import { type MessagesWorld, startMessages } from '../../messaging/messages/testing.ts';
import { eventsOf } from '../../workspaces/testing.ts';

let world: MessagesWorld;
/** Two that are connected. */
let sender: string;
let other: string;

const PATIENT = { timeout: 20_000, interval: 20 };

async function connected(name: string): Promise<string> {
  const { id } = (await world.call('/instances', { name, channel: 'sandbox' })).body;
  await world.call(`/instances/${id}/connect`, {});
  await vi.waitFor(
    async () => expect((await world.call(`/instances/${id}`)).body.state).toBe('connected'),
    PATIENT,
  );
  return id;
}

beforeAll(async () => {
  world = await startMessages();
  [sender, other] = [await connected('Sender'), await connected('Other')];
});
afterAll(() => world.app.stop());

const destination = (more: object = {}) => ({
  instance_id: sender,
  to: 'alice',
  template: 'New: {{ payload.title }}',
  ...more,
});

interface Endpoint {
  id: string;
  url: string;
}

async function endpoint(more: object = {}): Promise<Endpoint> {
  const body = { name: 'Blog', auth: { type: 'secret_url' }, destinations: [destination()], ...more };
  const made = await world.call('/publishing-endpoints', body);
  expect([made.status, made.body.errors]).toEqual([201, undefined]);
  return made.body;
}

async function post({ url }: Endpoint, payload: unknown = { title: 'Hello' }) {
  const path = url.replace(world.app.config.baseUrl, world.app.base);
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  return { status: answer.status, body: (await answer.json()) as any };
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
const read = async (id: string): Promise<any> => (await world.call(`/publications/${id}`)).body;

/** Of each destination. */
const shown = ({ results }: { results: Record<string, unknown>[] }, ...names: string[]) =>
  results.map((one) => names.map((name) => one[name]));

/** Waits for a status. */
const until = (id: string, status: string) =>
  vi.waitFor(async () => {
    const publication = await read(id);
    expect(publication.status).toBe(status);
    return publication;
  }, PATIENT);

const typesAbout = async (id: string): Promise<string[]> =>
  (await eventsOf(world.app, uuidOf('workspace', world.home.workspace)!))
    .filter(({ data }) => data.object.id === id)
    .map(({ type }) => type);

describe('what is received', () => {
  test('is answered once it is stored, and published to each destination once', async () => {
    const made = await endpoint({
      destinations: [destination(), destination({ instance_id: other, to: 'bob' })],
    });
    const { status, body } = await post(made);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      object: 'publication',
      status: 'received',
      results: [],
      endpoint_id: made.id,
    });
    const published = await until(body.id, 'published');
    expect(shown(published, 'destination', 'to', 'type', 'attempts')).toEqual([
      [0, 'alice', 'text', 1],
      [1, 'bob', 'text', 1],
    ]);
    for (const { message_id: id } of published.results) {
      const message = (await world.call(`/messages/${id}`)).body;
      expect([message.text.body, message.source]).toEqual(['New: Hello', 'publishing']);
    }
    await vi.waitFor(
      async () =>
        expect(await typesAbout(body.id)).toEqual(['publication.received', 'publication.published']),
      PATIENT,
    );
  });
});
