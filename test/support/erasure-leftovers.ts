/** Laying traces of one contact by every road that there is. All words about it hold MARK. */
import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { ADDRESS, type ErasureWorld, MARK } from './erasure-world.ts';

const OTHER = `${MARK}.other@mail.example`;

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Any = any;

/** What was laid. */
export interface PersonalData {
  /** The contact, and one that was merged into it: public IDs. */
  contact: string;
  merged: string;
  /** Somebody else's message, link and contact, which stay. */
  witness: { contact: string; message: string };
  scheduled: string;
  /** Publications to it. */
  waiting: string;
  published: string;
  inspector: string;
}

/** Lays them all. */
export async function layTraces(world: ErasureWorld & { file: string }): Promise<PersonalData> {
  const { call, rows } = world;
  const { id: box } = await call('/instances', { name: 'Front', channel: 'sandbox' });
  await call(`/instances/${box}/connect`, undefined, 'POST');
  await vi.waitFor(async () => {
    const { state } = await call(`/instances/${box}`);
    if (state !== 'connected') throw new Error(state);
  }, PATIENCE);
  const text = (to: object, body: string, more: object = {}) => ({
    instance_id: box,
    type: 'text',
    text: { body },
    ...to,
    ...more,
  });

  // Who listens: one that takes all, one that refuses all (its deliveries wait), one with a form of its own.
  const inspectors: Any[] = [];
  for (const body of ['thanks', 'again'])
    inspectors.push(await call('/inspectors', { name: 'listener', answer: { body } }));
  const urls = [...inspectors.map(({ url }) => url), new URL('/hook', world.file).href];
  for (const [nth, url] of urls.entries())
    await call('/webhooks', {
      url,
      events: ['*'],
      ...(nth === 1
        ? {
            kind: 'slack',
            templates: { 'message.received': '{"text": "{{ event.data.object.text.body }}"}' },
          }
        : {}),
    });

  // What acts by itself.
  await call('/rules', {
    name: 'echoes',
    events: ['message.received'],
    filter: 'event.data.object.chat.kind == "direct"',
    actions: [
      {
        type: 'ask_model',
        name: 'asked',
        model: 'fairlead/echo',
        prompt: '{{ event.data.object.text.body }}',
      },
      { type: 'call_webhook', url: inspectors[0].url },
    ],
    rate_limit: { limit: 600, burst: 600 },
  });
  // The contact, by a key that comes again, with all that it may have.
  const keyed = { 'idempotency-key': 'upsert' };
  const upsert = { instance_id: box, address: ADDRESS, name: `Zelda ${MARK}` };
  const made = await call('/contacts/upsert', upsert, 'PUT');
  const contact: string = made.id;
  await call(
    `/contacts/${contact}`,
    {
      name: `Zelda ${MARK} Q`,
      avatar_url: `https://example.com/${MARK}.png`,
      metadata: { note: MARK },
    },
    'PATCH',
  );
  const { id: merged } = await call(
    '/contacts',
    { name: `Other ${MARK}`, identities: [{ instance_id: box, address: OTHER }] },
    'POST',
    keyed,
  );
  await call('/messages', text({ to: OTHER }, `to the other ${MARK}`));

  // Messages out and in, each kind that the sandbox knows an answer to.
  await call('/messages', text({ to: ADDRESS }, `profile`));
  const first = await call(
    '/messages',
    text(
      { to: ADDRESS },
      `${MARK} see https://example.com/${MARK}?for=${encodeURIComponent(ADDRESS)} and https://example.com/plain`,
      {
        shorten_links: true,
        metadata: { about: MARK },
      },
    ),
    'POST',
    { 'idempotency-key': 'message' },
  );
  await call(
    '/messages/batch',
    { messages: [text({ to: ADDRESS }, 'react'), text({ contact_id: contact }, 'reply')] },
    'POST',
    {
      'idempotency-key': 'batch',
    },
  );
  for (const word of ['image', 'edit', 'delete', 'contacts'])
    await call('/messages', text({ to: ADDRESS }, word));
  await call('/messages', {
    instance_id: box,
    to: ADDRESS,
    type: 'document',
    document: { url: world.file, caption: `caption ${MARK}`, file_name: `${MARK}.txt` },
  });
  const { id: scheduled } = await call(
    '/messages',
    text({ to: ADDRESS }, `later ${MARK}`, { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() }),
  );
  await vi.waitFor(async () => {
    const received = await rows(`select count(*)::int as n from messages where direction = 'inbound'`);
    if (received[0].n < 8) throw new Error(`${received[0].n} came`);
  }, PATIENCE);
  await call(`/messages/${first.id}/reaction`, { emoji: '👍' }, 'PUT');

  // A group that it is in, where it writes, is mentioned, and reacts.
  const { id: making } = await call('/groups', {
    instance_id: box,
    subject: 'Tea',
    participants: [{ address: ADDRESS }, { address: 'witness' }],
  });
  const group = await vi.waitFor(async () => {
    const { data } = await call('/groups');
    if (!data.length || data[0].participants_count < 3) throw new Error(`no group by ${making}`);
    return data[0];
  }, PATIENCE);
  await call('/messages', text({ group_id: group.id }, 'what do you say?', { mentions: [ADDRESS] }));
  await call('/messages', text({ group_id: group.id }, 'react', { mentions: [ADDRESS] }));
  await vi.waitFor(async () => {
    const [{ n }] = await rows(
      `select count(*)::int as n from messages where chat_id = $1 and direction = 'inbound' and from_address = $2`,
      [toUuid('chat', group.chat_id), ADDRESS],
    );
    const [{ reactions }] = await rows(
      `select count(*)::int as reactions from message_reactions r join messages m on m.id = r.message_id where m.chat_id = $1`,
      [toUuid('chat', group.chat_id)],
    );
    if (n === 0 || reactions === 0) throw new Error(`${n} messages and ${reactions} reactions in the group`);
  }, PATIENCE);
  await call(`/groups/${group.id}/leave`, undefined, 'POST');
  await vi.waitFor(async () => {
    if ((await call(`/groups/${group.id}`)).membership === 'joined') throw new Error('still in it');
  }, PATIENCE);

  // Its links are clicked.
  const links = await rows('select slug, url from links where contact_id is not null');
  if (links.length !== 2) throw new Error(`${links.length} links`);
  for (const { slug } of links) {
    const { status } = await fetch(`${world.app.base}/${slug}`, { redirect: 'manual' });
    if (status !== 302) throw new Error(`a click was answered ${status}`);
  }
  await vi.waitFor(async () => {
    const [{ n }] = await rows('select count(*)::int as n from clicks');
    if (n < 2) throw new Error(`${n} clicks`);
  }, PATIENCE);

  // Publications: to it at once, for tomorrow, to it and somebody else, and one that is refused.
  const endpoint = async (destinations: object[], more: object = {}): Promise<string> =>
    (
      await call('/publishing-endpoints', {
        name: 'Blog',
        auth: { type: 'bearer' },
        destinations: destinations.map((one) => ({
          instance_id: box,
          template: 'New: {{ payload.title }}',
          ...one,
        })),
        ...more,
      })
    ).id;
  const payload = { to: ADDRESS, title: `news ${MARK}` };
  const byAddress = await endpoint([{ to: '{{ payload.to }}' }]);
  const { id: published } = await call(`/publish/${byAddress}`, payload, 'POST', {
    'idempotency-key': 'publish',
  });
  const byContact = await endpoint([
    { to: '{{ payload.to }}' },
    { to: 'witness', template: 'something new' },
  ]);
  await call(`/publish/${byContact}`, payload);
  const tomorrow = await endpoint([{ to: '{{ payload.to }}' }], {
    schedule: { at: '{{ payload.at }}' },
  });
  const { id: waiting } = await call(`/publish/${tomorrow}`, {
    ...payload,
    at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const refused = await world.app.call(`/publish/${await endpoint([{ to: '{{ payload.nobody.name }}' }])}`, {
    key: world.home.key,
    body: payload,
  });
  if (refused.status >= 500) throw new Error(JSON.stringify(refused.body));

  // Files in and out, and the question whether it exists.
  const csv = `address,name\n${ADDRESS},Zelda ${MARK} of a file\n`;
  const imported = await fetch(`${world.app.base}/api/v1/contacts/import?instance_id=${box}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.home.key}`, 'content-type': 'text/csv' },
    body: csv,
  });
  if (imported.status !== 202) throw new Error(await imported.text());
  await world.app.call('/contacts/export', { key: world.home.key });
  await call('/contacts/check', { instance_id: box, addresses: [ADDRESS, 'nobody'] });

  await call(`/contacts/${contact}/merge`, { contact_id: merged }, 'POST', { 'idempotency-key': 'merge' });
  await call(`/contacts/${contact}/block`, undefined, 'POST', { 'idempotency-key': 'block' });

  // Somebody else, whom nothing may touch.
  const message = await call('/messages', text({ to: 'witness' }, 'plain words'));
  await world.quiet();
  return {
    contact,
    merged,
    witness: { contact: message.contact_id, message: message.id },
    scheduled,
    waiting,
    published,
    inspector: inspectors[0].id,
  };
}
