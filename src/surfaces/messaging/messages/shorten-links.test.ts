/** `shorten_links` on its way through acceptance, to links that know their message and contact. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { makeKey } from '../../../../test/support/workspaces.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
let instance: string;
beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const LONG = 'https://example.com/long?a=1';
const asking = (to: string, text = `See ${LONG}.`) => ({
  instance_id: instance,
  to,
  type: 'text',
  text: { body: text },
  shorten_links: true,
});
const getLinks = async (message: string) => (await world.call(`/links?message_id=${message}`)).body.data;

describe('a message with shorten_links', () => {
  test('has short URLs, of links that know it', async () => {
    const { status, body } = await world.call(
      '/messages',
      asking('carol', `${LONG} and ${LONG}, https://example.com/b!`),
    );
    expect(status).toBe(202);
    const links = await getLinks(body.id);
    expect(links.map(({ url }: { url: string }) => url).toSorted()).toEqual(['https://example.com/b', LONG]);
    const toShort = (url: string) => links.find((link: { url: string }) => link.url === url).short_url;
    expect(body.text.body).toBe(
      `${toShort(LONG)} and ${toShort(LONG)}, ${toShort('https://example.com/b')}!`,
    );
    for (const link of links)
      expect(link).toMatchObject({
        message_id: body.id,
        contact_id: body.contact_id,
        created_by: world.home.keyId,
        slug: expect.stringMatching(/^[0-9A-Za-z]{7}$/),
      });
    expect(body.contact_id).toMatch(/^con_/);
    // Each message has links of its own.
    const again = await world.call('/messages', asking('carol'));
    expect((await getLinks(again.body.id)).map(({ id }: { id: string }) => id)).not.toEqual(
      expect.arrayContaining(links.map(({ id }: { id: string }) => id)),
    );
    const forwarded = await world.call(`/messages/${again.body.id}/forward`, {
      to: 'dora',
      shorten_links: true,
    });
    expect(forwarded).toHaveStatus(202);
  });

  test('keeps what no link may lead to', async () => {
    const text = `http://localhost:0/abc https://user:secret@example.com/x ${LONG}`;
    const { body } = await world.call('/messages', asking('carol', text));
    const [link, ...more] = await getLinks(body.id);
    expect(more).toEqual([]);
    expect(body.text.body).toBe(`http://localhost:0/abc https://user:secret@example.com/x ${link.short_url}`);
    const plain = await world.call('/messages', { ...asking('carol'), shorten_links: false });
    expect(plain.body.text.body).toBe(`See ${LONG}.`);
  });

  test('leaves no link behind where it is refused', async () => {
    const count = async () => (await world.rows('select count(*)::int as n from links'))[0].n;
    const before = await count();
    expect(await world.call('/messages', asking('@'))).toHaveStatus(422);
    expect(await count()).toBe(before);
  });

  test('is one of a batch, each with links of its own', async () => {
    const messages = [asking('eva'), { ...asking('eva'), shorten_links: false }, asking('fred', `${LONG} x`)];
    const { body } = await world.call('/messages/batch', { messages });
    const sent = body.results.map(({ message }: { message: { id: string } }) => message.id);
    expect((await getLinks(sent[0]))[0].message_id).toBe(sent[0]);
    expect(await getLinks(sent[1])).toEqual([]);
    const [third] = await getLinks(sent[2]);
    expect(body.results[2].message.text.body).toBe(`${third.short_url} x`);
    expect(third.contact_id).toBe(body.results[2].message.contact_id);
  });

  test('needs a scope for links, in each way to send', async () => {
    const key = await makeKey(world.home, { scopes: ['messages:write', 'messages:read'] });
    const call = (path: string, body: unknown) => world.app.call(path, { key, body });
    const one = await call('/messages', asking('carol'));
    expect([one.status, one.body.code]).toEqual([403, 'insufficient_scope']);
    const kept = await world.app.call('/messages', {
      key,
      body: asking('carol'),
      headers: { 'idempotency-key': 'short-1' },
    });
    expect(kept).toHaveStatus(403);
    const batch = await call('/messages/batch', {
      messages: [asking('carol'), { ...asking('carol'), shorten_links: false }],
    });
    expect([batch.body.accepted, batch.body.results[0].problem.code]).toEqual([1, 'insufficient_scope']);
    const sent = batch.body.results[1].message.id;
    const forward = await call(`/messages/${sent}/forward`, { to: 'dora', shorten_links: true });
    expect([forward.status, forward.body.code]).toEqual([403, 'insufficient_scope']);
    const creating = await makeKey(world.home, { scopes: ['messages:write', 'links:create'] });
    expect(await world.app.call('/messages', { key: creating, body: asking('carol') })).toHaveStatus(202);
  });
});

test('where links have no room, the message that asks for them is refused', async () => {
  const small = await startMessages({ WORKSPACE_LIMITS: 'links=2' });
  try {
    const own = await small.instance();
    const asked = { ...asking('eva'), instance_id: own };
    const messages = [
      asked,
      { ...asked, to: 'fred' },
      { ...asked, to: 'gina' },
      { ...asked, shorten_links: false },
    ];
    const { body } = await small.call('/messages/batch', { messages });
    expect(
      body.results.map(({ problem }: { problem: { code: string } | null }) => problem?.code ?? null),
    ).toEqual([null, null, 'quota_exceeded', null]);
    const more = await small.call('/messages', asked);
    expect([more.status, more.body.code]).toEqual([403, 'quota_exceeded']);
  } finally {
    await small.app.stop();
  }
});

describe('the contact of a link', () => {
  const sent = async (to: string) => {
    const { body } = await world.call('/messages', asking(to));
    return { message: body, link: (await getLinks(body.id))[0] };
  };

  test('is forgotten when it is erased', async () => {
    const { message, link } = await sent('leaving');
    expect(await world.call(`/contacts/${message.contact_id}`, undefined, 'DELETE')).toHaveStatus(204);
    await vi.waitFor(async () => {
      expect((await world.call(`/links/${link.id}`)).body.contact_id).toBeNull();
    }, PATIENCE);
    const after = (await world.call(`/links/${link.id}`)).body;
    expect(after).toMatchObject({ message_id: null, url: LONG });
    const events = await world.events(link.id);
    expect(events.map(({ type }) => type)).toEqual(['link.created', 'link.updated']);
    expect(events[1]!.data).toMatchObject({
      object: { contact_id: null },
      previous_attributes: {},
    });
  });

  test('is the one that it was merged into', async () => {
    const { message, link } = await sent('double');
    const { body: other } = await world.call('/contacts', { name: 'Survivor' });
    const merged = await world.call(`/contacts/${other.id}/merge`, { contact_id: message.contact_id });
    expect(merged).toHaveStatus(200);
    await vi.waitFor(async () => {
      expect((await world.call(`/links/${link.id}`)).body.contact_id).toBe(other.id);
    }, PATIENCE);
  });
});
