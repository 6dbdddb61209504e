/** Answers of models that are longer than a channel takes: each is sent as several messages. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bridge, startBridge } from '../../../test/support/channels/http/bridges.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type PublishingWorld, startPublishing } from '../../../test/support/automation/publications.ts';
import { generateSecret } from '../../core/webhooks/delivery/webhook-secret.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';

const MAX_TEXT = 100;
let world: PublishingWorld;
let bridge: Bridge;
let instance: string;

async function connect(): Promise<void> {
  await world.call(`/instances/${instance}/connect`, {});
  await vi.waitFor(async () => {
    const { body } = await world.call(`/instances/${instance}`);
    if (body.state !== 'connected') throw new Error(`still ${body.state}`);
  }, PATIENCE);
}

beforeAll(async () => {
  const secret = generateSecret();
  bridge = await startBridge('TypeScript', secret);
  world = await startPublishing({ EGRESS_ALLOW: '127.0.0.1' });
  const { body } = await world.call('/instances', {
    name: 'Bridge',
    channel: 'http',
    settings: { url: bridge.url, types: { text: { max_text: MAX_TEXT } } },
    credentials: { secret },
  });
  instance = body.id;
  await connect();
});
afterAll(async () => {
  await world?.app.stop();
  await bridge?.[Symbol.asyncDispose]();
});

/** Texts of so many characters. */
const paragraphs = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${nth} is ${'x'.repeat(length)}`.slice(0, length));
const MODEL = { model: 'fairlead/echo', prompt: '{{ payload.text }}' };
const TO = { to: 'ann', template: '{{ answer }}' };
const echoing = (more: object = {}) =>
  world.endpoint({ ask_model: MODEL, destinations: [{ instance_id: instance, ...TO }], ...more });
/** Of the messages that a rule or endpoint has made. */
const getTexts = async (createdBy: string): Promise<string[]> =>
  (
    await world.rows(
      `select content ->> 'body' as text from messages where created_by = $1 order by sequence`,
      [createdBy],
    )
  ).map(({ text }) => text);
const getReceived = async (): Promise<unknown[]> =>
  (await bridge.actions()).flatMap(({ action, text }) => (action === 'send' ? [text] : []));

describe('the answer to an endpoint', () => {
  test('is cut at paragraphs, and the last message tells the state of its destination', async () => {
    const text = paragraphs(5, 40);
    const made = await echoing();
    const published = await world.until(await world.posted(made, { text: text.join('\n\n') }), 'published');
    const sent = [text.slice(0, 2), text.slice(2, 4), text.slice(4)].map((own) => own.join('\n\n'));
    expect(await getTexts(made.id)).toEqual(sent);
    expect(await getReceived()).toEqual(sent);
    const { body: last } = await world.call(`/messages/${published.results[0].message_id}`);
    expect(last.text.body).toBe(sent.at(-1));
  });

  test('is tried again from the message that failed, and from none where nothing was accepted', async () => {
    const idle = (await world.call('/instances', { name: 'Idle', channel: 'sandbox' })).body.id;
    const made = await echoing({
      allow_partial: true,
      destinations: [
        { instance_id: instance, ...TO },
        { instance_id: idle, ...TO },
      ],
    });
    const text = paragraphs(2, 80);
    const id = await world.posted(made, { text: text.join('\n\n') });
    await world.until(id, 'partially_published', { finished_at: null });
    expect(await getTexts(made.id)).toEqual(text);
    const uuid = toUuid('publication', id);
    const fail = (position: number) =>
      world.rows(
        `update publication_results set status = 'failed', next_attempt_at = now()
         where publication_id = $1 and position = $2`,
        [uuid, position],
      );
    await fail(0);
    await world.makeDue(id);
    await vi.waitFor(async () => expect(await getTexts(made.id)).toEqual([...text, text[1]]), PATIENCE);
    await world.until(id, 'partially_published', { results: [{ attempts: 2, status: 'sent' }, {}] });
    // Refused once more, the message that failed stays known.
    await world.call(`/instances/${instance}/disconnect`, {});
    await fail(0);
    await world.makeDue(id);
    await world.until(id, 'failed', { results: [{ attempts: 3 }, {}] });
    expect((await world.read(id)).results[0].message_id).not.toBeNull();
    await connect();
  });

  test('is tried again from the first message that was not sent', async () => {
    // The second destination is never sent to, so that the publication stays open.
    const idle = (await world.call('/instances', { name: 'Idle too', channel: 'sandbox' })).body.id;
    const made = await echoing({
      allow_partial: true,
      destinations: [
        { instance_id: instance, ...TO },
        { instance_id: idle, ...TO },
      ],
    });
    const text = paragraphs(3, 80);
    const id = await world.posted(made, { text: text.join('\n\n') });
    await world.until(id, 'partially_published', { results: [{ status: 'sent' }, {}] });
    const uuid = toUuid('publication', id);
    /** As after an outage in which only the first `sent` messages of the text were sent. */
    const fail = async (sent: number): Promise<void> => {
      await world.rows(
        `update messages m set status = 'failed', sent_at = null, external_id = null
         from publication_results r
         where r.publication_id = $1 and m.workspace_id = r.workspace_id
           and r.position = 0 and m.id = any ((r.earlier_message_ids || r.message_id)[$2::int + 1:])`,
        [uuid, sent],
      );
      await world.rows(
        `update publication_results set status = 'failed', next_attempt_at = now()
         where publication_id = $1 and position = 0`,
        [uuid],
      );
      await world.makeDue(id);
    };
    await fail(0);
    await vi.waitFor(async () => expect(await getTexts(made.id)).toEqual([...text, ...text]), PATIENCE);
    await world.until(id, 'partially_published', { results: [{ attempts: 2, status: 'sent' }, {}] });
    await fail(1);
    await vi.waitFor(
      async () => expect(await getTexts(made.id)).toEqual([...text, ...text, ...text.slice(1)]),
      PATIENCE,
    );
    await world.until(id, 'partially_published', { results: [{ attempts: 3, status: 'sent' }, {}] });
    await fail(2);
    await vi.waitFor(async () => expect((await getTexts(made.id)).at(-1)).toBe(text[2]), PATIENCE);
    await world.until(id, 'partially_published', { results: [{ attempts: 4, status: 'sent' }, {}] });
    expect(await getTexts(made.id)).toHaveLength(9);
  });

  describe('with links', () => {
    const LONG = `https://example.com/${'y'.repeat(2 * MAX_TEXT)}`;
    const shortening = () => echoing({ shorten_links: true });
    const getMessages = (createdBy: string) =>
      world.rows(
        `select id, content ->> 'body' as text from messages where created_by = $1 order by sequence`,
        [createdBy],
      );
    const getLinks = async (): Promise<{ url: string; short_url: string; message_id: string }[]> =>
      (await world.call('/links?limit=100')).body.data;

    test('is cut when its URLs are short', async () => {
      const made = await shortening();
      const url = `${LONG}/cut`;
      const words = 'z'.repeat(MAX_TEXT - 30);
      const text = `${words} ${url} ${words}, see ${url}.`;
      await world.until(await world.posted(made, { text }), 'published');
      const links = (await getLinks()).filter((one) => one.url === url).toReversed();
      const [first, second, ...more] = links.map((link) => link.short_url);
      expect(more).toEqual([]);
      const messages = await getMessages(made.id);
      expect(messages.map((one) => one.text)).toEqual([`${words} ${first}`, `${words}, see`, `${second}.`]);
      expect(links.map((link) => toUuid('message', link.message_id))).toEqual(
        [messages[0], messages[2]].map((one) => one!['id']),
      );
    });

    test('is one message where it fits then, and none has half of a URL', async () => {
      const made = await shortening();
      const url = `${LONG}/fits`;
      await world.until(await world.posted(made, { text: `See ${url}` }), 'published');
      const link = (await getLinks()).find((one) => one.url === url)!;
      expect(await getTexts(made.id)).toEqual([`See ${link.short_url}`]);
      // No link may lead to a URL with a password, so that it is cut.
      const secret = LONG.replace('//', '//ann:secret@');
      const cut = await shortening();
      const before = (await getLinks()).length;
      await world.until(await world.posted(cut, { text: secret }), 'published');
      expect((await getTexts(cut.id)).join('')).toBe(secret);
      expect(await getLinks()).toHaveLength(before);
    });

    test('keeps a URL whole that fits one message', async () => {
      const made = await echoing();
      const url = `https://example.com/${'y'.repeat(70)}`;
      await world.until(await world.posted(made, { text: `${'z'.repeat(40)}(${url})` }), 'published');
      expect(await getTexts(made.id)).toEqual([`${'z'.repeat(40)}(`, `${url})`]);
    });

    test('has no new links in what was sent before it is tried again', async () => {
      const idle = (await world.call('/instances', { name: 'Idle links', channel: 'sandbox' })).body.id;
      const made = await echoing({
        allow_partial: true,
        shorten_links: true,
        destinations: [
          { instance_id: instance, ...TO },
          { instance_id: idle, ...TO },
        ],
      });
      const urls = ['/one', '/two'].map((path) => LONG + path);
      const text = urls.map((url) => `${'z'.repeat(60)} ${url}`).join('\n\n');
      const id = await world.posted(made, { text });
      await world.until(id, 'partially_published', { results: [{ status: 'sent' }, {}] });
      const uuid = toUuid('publication', id);
      await world.rows(
        `update messages m set status = 'failed', sent_at = null, external_id = null
         from publication_results r where r.publication_id = $1 and r.position = 0 and m.id = r.message_id`,
        [uuid],
      );
      await world.rows(
        `update publication_results set status = 'failed', next_attempt_at = now()
         where publication_id = $1 and position = 0`,
        [uuid],
      );
      await world.makeDue(id);
      await world.until(id, 'partially_published', { results: [{ attempts: 2, status: 'sent' }, {}] });
      const links = await getLinks();
      expect(urls.map((url) => links.filter((one) => one.url === url).length)).toEqual([1, 2]);
      const texts = await getTexts(made.id);
      expect(texts).toHaveLength(3);
      expect(texts[2]).toContain(links.find((one) => one.url === urls[1])!.short_url);
    });
  });

  test('fails where that would be more than 20 messages', async () => {
    const made = await echoing();
    const long = paragraphs(21, 80).join('\n\n');
    const failed = await world.until(await world.posted(made, { text: long }), 'failed');
    expect(failed.results).toMatchObject([{ error: { code: 'unsupported_by_channel' } }]);
    expect(await getTexts(made.id)).toEqual([]);
  });

  test('a text that no model wrote is rejected', async () => {
    const made = await world.endpoint({
      destinations: [{ instance_id: instance, to: 'ann', template: '{{ payload.text }}' }],
    });
    const { status, body } = await world.post(made, { text: 'x'.repeat(MAX_TEXT + 1) });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/destinations/0/template' }]]);
  });
});

test('what a rule sends is cut, and all of it is known to be its doing', async () => {
  const actions = [
    { type: 'ask_model', name: 'idea', model: 'fairlead/echo', prompt: '{{ event.data.object.url }}' },
    { type: 'send_message', instance_id: instance, to: 'ann', template: '{{ steps.idea.text }}' },
  ];
  const rule = (await world.call('/rules', { name: 'Tell', events: ['link.created'], actions })).body.id;
  const url = `https://example.com/${'x'.repeat(200)}`;
  await world.call('/links', { url });
  await vi.waitFor(async () => expect(await getTexts(rule)).toHaveLength(3), PATIENCE);
  expect((await getTexts(rule)).join('')).toBe(url);
  const caused = await vi.waitFor(async () => {
    const { body } = await world.call('/events?type=message.sent&limit=100');
    const own = body.data.filter(
      (one: { data: { object: { created_by: string } } }) => one.data.object.created_by === rule,
    );
    expect(own).toHaveLength(3);
    return own.map((one: { caused_by: string[] }) => one.caused_by);
  }, PATIENCE);
  expect(caused).toEqual([[rule], [rule], [rule]]);
});
