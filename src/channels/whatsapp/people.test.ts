/** Who people are on WhatsApp, from signed webhooks to the REST API: numbers, user IDs and usernames are one contact and one chat. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type Body,
  type GraphApi,
  startGraphApi,
} from '../../../test/support/channels/whatsapp/graph-api.ts';
import { postWebhook, toChange, toWebhook } from '../../../test/support/channels/whatsapp/webhooks.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type Answer, startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

const APP_SECRET = '0123456789abcdef0123456789abcdef';
const METADATA = { display_phone_number: '16505551111', phone_number_id: '106540352242922' };
const TOKEN = 'EAAtoken-of-the-test';
const GROUP = 'Y2FwaV9ncm91cDoxODA1NTU1MDE3MjoxMjAzNjMyMjI3NzE5NjMwNjcZD';

let app: TestApp;
let key: string;
let api: GraphApi;
let instance: Body;
let callback: string;
const stack = new AsyncDisposableStack();

const seconds = (): string => String(Math.floor(Date.now() / 1000));
let last = 0;
/** A number and a user ID of somebody new. */
const newPerson = () => {
  const nth = String((last += 1)).padStart(4, '0');
  const phone = `1650666${nth}`;
  return { phone, address: `+${phone}`, userId: `US.1349120865530${nth}`, parentId: `US.ENT.1181579${nth}` };
};

const call = (path: string, body?: unknown, method?: string): Promise<Answer> =>
  app.call(path, { key, body, method });
const get = async (path: string): Promise<Body> => {
  const { status, body } = await call(path);
  expect([status, path], JSON.stringify(body)).toEqual([200, path]);
  return body;
};
const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);
const send = async (to: string, more: object = {}): Promise<Body> => {
  const body = { instance_id: instance.id, to, type: 'text', text: { body: 'Yes' }, ...more };
  const answer = await call('/messages', body, 'POST');
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body;
};
const becomes = (id: string, status: string): Promise<Body> =>
  eventually(async () => {
    const found = await get(`/messages/${id}`);
    expect(found).toMatchObject({ status });
    return found;
  });
const hook = async (value: Body, field?: string): Promise<void> =>
  expect(await postWebhook(callback, toWebhook([toChange(METADATA, value, field)]), APP_SECRET)).toBe(200);
const heard = (externalId: string): Promise<Body> =>
  eventually(async () => {
    const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
    const found = data.find((each: Body) => each.external_id === externalId);
    expect(found, externalId).toBeDefined();
    return found;
  });
/** Somebody writes. @param from fields that name the writer. @returns the message */
async function write(from: Body, contact: Body, content: Body = {}): Promise<Body> {
  const id = `wamid.${randomBytes(10).toString('hex')}`;
  await hook({
    contacts: [contact],
    messages: [{ id, timestamp: seconds(), type: 'text', text: { body: 'hi' }, ...from, ...content }],
  });
  return heard(id);
}
const getContact = (id: string): Promise<Body> => get(`/contacts/${id}`);
const addressesOf = async (id: string): Promise<string[]> =>
  (await getContact(id)).identities.map(({ address }: Body) => address);
const contactsWith = async (address: string): Promise<Body[]> =>
  (await get(`/contacts?address=${encodeURIComponent(address)}`)).data;
/** The body of the request that sent a message. */
const requestOf = (id: string): Body =>
  api.requests.find(({ body }) => body?.biz_opaque_callback_data === id)!.body;

const isConnected = (): Promise<void> =>
  eventually(async () =>
    expect(await get(`/instances/${instance.id}`)).toMatchObject({ state: 'connected' }),
  );

beforeAll(async () => {
  api = await startGraphApi(null);
  stack.defer(() => api.stop());
  const { phone_number_id: phoneNumberId, display_phone_number: number } = METADATA;
  api.addAccount({ phoneNumberId, businessAccountId: '102290129340398', number, token: TOKEN });
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  stack.defer(() => app.stop());
  ({ key } = await startWorkspace(app));
  const made = await call(
    '/instances',
    {
      name: 'Shop',
      channel: 'whatsapp',
      settings: {
        phone_number_id: phoneNumberId,
        business_account_id: '102290129340398',
        api_root: api.apiRoot,
      },
      credentials: { access_token: TOKEN, app_secret: APP_SECRET, verify_token: 'fairlead-test' },
    },
    'POST',
  );
  instance = made.body;
  callback = `${app.base}${new URL(instance.ingress_url).pathname}`;
  await call(`/instances/${instance.id}/connect`, undefined, 'POST');
  await isConnected();
});
afterAll(() => stack.disposeAsync());

test('somebody with a username and without a number is a contact who can be answered', async () => {
  await hook({
    contacts: [{ profile: { name: 'Sam', username: 'sam.r' }, user_id: 'US.13491208655302741918' }],
    messages: [
      {
        from_user_id: 'US.13491208655302741918',
        id: 'wamid.IN1',
        timestamp: '1795920000',
        type: 'text',
        text: { body: 'hi, I have a username' },
      },
    ],
  });
  const message = await heard('wamid.IN1');
  expect(message).toMatchObject({
    from: 'US.13491208655302741918',
    text: { body: 'hi, I have a username' },
  });
  expect(await getContact(message.contact_id)).toMatchObject({
    profile_name: 'Sam',
    username: 'sam.r',
    identities: [{ address: 'US.13491208655302741918' }],
  });
  await write(
    { from_user_id: 'US.13491208655302741918' },
    { profile: { name: 'Sam', username: 'sammy' }, user_id: 'US.13491208655302741918' },
  );
  await eventually(async () =>
    expect(await getContact(message.contact_id)).toMatchObject({ username: 'sammy' }),
  );
  const sent = await send(' us.13491208655302741918 ');
  expect(sent).toMatchObject({ to: 'US.13491208655302741918', chat: message.chat });
  await becomes(sent.id, 'sent');
  const request = requestOf(sent.id);
  expect(request).toMatchObject({ recipient: 'US.13491208655302741918', recipient_type: 'individual' });
  expect(request).not.toHaveProperty('to');
  const block = await call(`/contacts/${message.contact_id}/block`, undefined, 'POST');
  expect(block.status).toBeLessThan(300);
  await eventually(async () =>
    expect(api.requests.find(({ path }) => path.endsWith('/block_users'))!.body.block_users).toEqual([
      { user_id: 'US.13491208655302741918' },
    ]),
  );
});

test.each<[string, (who: ReturnType<typeof newPerson>) => [Body, Body]]>([
  ['the contact alone names the writer', ({ userId }) => [{}, { user_id: userId }]],
  ['a user ID stands where the number was', ({ userId }) => [{ from: userId }, { wa_id: userId }]],
  ['only the ID of the parent is there', ({ parentId }) => [{ from_parent_user_id: parentId }, {}]],
  ['there is no contact', ({ userId }) => [{ from_user_id: userId }, {}]],
])('a message is kept where %s', async (_name, toWebhookFields) => {
  const who = newPerson();
  const [from, contact] = toWebhookFields(who);
  const message = await write(from, contact);
  expect([who.userId, who.parentId]).toContain(message.from);
  await becomes((await send(message.from)).id, 'sent');
});

test('what can be no user ID is refused at the door', async () => {
  for (const to of ['US.', 'U.1', 'US.1349-1', `US.${'1'.repeat(129)}`, 'USA.1', 'US.ENT.']) {
    const body = { instance_id: instance.id, to, type: 'text', text: { body: 'x' } };
    const { status, body: problem } = await call('/messages', body, 'POST');
    expect([to, status, problem.code]).toEqual([to, 422, 'invalid_address']);
  }
});

test('a number that is known later joins the contact and its chat', async () => {
  const { phone, address, userId, parentId } = newPerson();
  const contact = { profile: { name: 'Lea', username: 'lea' } };
  const first = await write({ from_user_id: userId }, { ...contact, user_id: userId });
  const second = await write(
    { from: phone, from_user_id: userId, from_parent_user_id: parentId },
    { ...contact, wa_id: phone, user_id: userId, parent_user_id: parentId },
  );
  const third = await write({ from: phone }, { ...contact, wa_id: phone });
  for (const later of [second, third])
    expect(later).toMatchObject({ contact_id: first.contact_id, chat: first.chat });
  expect(await addressesOf(first.contact_id)).toEqual([address, parentId, userId].toSorted());
  for (const to of [address, userId, parentId]) expect(await send(to)).toMatchObject({ chat: first.chat });
});

test('a user ID that is known later joins the contact with the number', async () => {
  const { phone, address, userId } = newPerson();
  const first = await write({ from: phone }, { wa_id: phone, profile: { name: 'Kim' } });
  await write({ from: phone, from_user_id: userId }, { wa_id: phone, user_id: userId });
  const hidden = await write(
    { from_user_id: userId },
    { user_id: userId, profile: { name: 'Kim', username: 'kim' } },
  );
  expect(hidden).toMatchObject({ contact_id: first.contact_id, chat: first.chat, from: address });
  // The number still reaches a person who no longer shows it.
  const answer = await send(userId);
  await becomes(answer.id, 'sent');
  expect(requestOf(answer.id)).toMatchObject({ to: phone });
});

test('statuses tell the user ID of somebody who was written to by number', async () => {
  const { phone, address, userId } = newPerson();
  await write({ from: phone }, { wa_id: phone });
  const sent = await becomes((await send(address)).id, 'sent');
  await hook({
    contacts: [{ wa_id: phone, user_id: userId }],
    statuses: [
      {
        id: sent.external_id,
        status: 'delivered',
        timestamp: seconds(),
        recipient_id: phone,
        recipient_user_id: userId,
      },
    ],
  });
  await becomes(sent.id, 'delivered');
  expect(await addressesOf(sent.contact_id)).toEqual([address, userId]);
  // Of a person without a number, by whom it was read.
  await hook({
    statuses: [{ id: sent.external_id, status: 'read', timestamp: seconds(), recipient_user_id: userId }],
  });
  await becomes(sent.id, 'read');
});

test('echoes, contacts of the phone app and groups name people by user ID', async () => {
  const [echoed, listed, member] = [newPerson(), newPerson(), newPerson()];
  const echo = {
    from: METADATA.display_phone_number,
    to_user_id: echoed.userId,
    id: `wamid.echo-${echoed.phone}`,
  };
  await hook(
    { message_echoes: [{ ...echo, timestamp: seconds(), type: 'text', text: { body: 'From my phone' } }] },
    'smb_message_echoes',
  );
  expect(await heard(echo.id)).toMatchObject({ direction: 'outbound', to: echoed.userId });
  const contact = { full_name: 'Ann Example', user_id: listed.userId, username: 'ann' };
  await hook({ state_sync: [{ type: 'contact', action: 'add', contact }] }, 'smb_app_state_sync');
  await eventually(async () =>
    expect(await contactsWith(listed.userId)).toMatchObject([
      { profile_name: 'Ann Example', username: 'ann' },
    ]),
  );
  const inGroup = { group_id: GROUP, timestamp: Number(seconds()) };
  const added_participants = [{ user_id: member.userId, profile: { name: 'Mia' } }];
  await hook(
    { groups: [{ ...inGroup, type: 'group_create', subject: 'Trip', added_participants }] },
    'group_lifecycle_update',
  );
  const participants = async (): Promise<Body[]> => {
    const [group] = (await get(`/groups?instance_id=${instance.id}`)).data;
    return (await get(`/groups/${group.id}/participants`)).data;
  };
  await eventually(async () =>
    expect((await participants()).map(({ address }) => address)).toContain(member.userId),
  );
  const message = await write({ from_user_id: member.userId, group_id: GROUP }, { user_id: member.userId });
  expect(message).toMatchObject({ from: member.userId });
  // By the number alone, once that is known: it is the same member who leaves.
  await write(
    { from: member.phone, from_user_id: member.userId },
    { wa_id: member.phone, user_id: member.userId },
  );
  const removed_participants = [{ wa_id: member.phone }];
  await hook(
    { groups: [{ ...inGroup, type: 'group_participants_remove', removed_participants }] },
    'group_participants_update',
  );
  await eventually(async () =>
    expect((await participants()).map(({ address }) => address)).not.toContain(member.userId),
  );
});

test('a new user ID replaces the old one, in the same chat', async () => {
  const { phone, userId } = newPerson();
  const [next, newest] = [newPerson(), newPerson()];
  const first = await write({ from_user_id: userId }, { user_id: userId, profile: { name: 'Jo' } });
  const update = (previous: string, current: string, more: Body = {}): Promise<void> =>
    hook(
      { user_id_update: [{ ...more, user_id: { previous, current }, timestamp: seconds() }] },
      'user_id_update',
    );
  await update(userId, next.userId);
  const second = await write({ from_user_id: next.userId }, { user_id: next.userId });
  expect(second).toMatchObject({ contact_id: first.contact_id, chat: first.chat, from: next.userId });
  const answer = await send(next.userId);
  await becomes(answer.id, 'sent');
  expect(requestOf(answer.id)).toMatchObject({ recipient: next.userId });
  await update(next.userId, newest.userId, { wa_id: phone });
  const third = await write({ from_user_id: newest.userId }, { user_id: newest.userId });
  expect(third).toMatchObject({ contact_id: first.contact_id, chat: first.chat });
  expect(await addressesOf(first.contact_id)).toEqual([`+${phone}`, newest.userId]);
});

/** News of WhatsApp about somebody. @returns the message */
async function tell(system: Body, from: Body = {}): Promise<Body> {
  const id = `wamid.${randomBytes(10).toString('hex')}`;
  await hook({ messages: [{ id, timestamp: seconds(), type: 'system', system, ...from }] });
  return heard(id);
}

test.each(['user_changed_number', 'customer_changed_number'])(
  '%s: the new number replaces the old one',
  async (type) => {
    const [who, next] = [newPerson(), newPerson()];
    const first = await write({ from: who.phone }, { wa_id: who.phone, profile: { name: 'Ida' } });
    const body = `User Ida changed from ${who.phone} to ${next.phone}`;
    const named =
      type === 'user_changed_number'
        ? { wa_id: next.phone, user_id: next.userId }
        : { new_wa_id: next.phone, customer: who.phone };
    const news = await tell({ type, body, ...named }, { from: who.phone });
    expect(news).toMatchObject({
      chat: first.chat,
      contact_id: first.contact_id,
      automatic: 'auto_generated',
      text: { body },
      channel_data: { system: { type, address: next.address, previous_addresses: [who.address] } },
    });
    const later = await write({ from: next.phone }, { wa_id: next.phone });
    expect(later).toMatchObject({ chat: first.chat, contact_id: first.contact_id, from: next.address });
    const answer = await send(next.address);
    expect(answer).toMatchObject({ chat: first.chat });
    await becomes(answer.id, 'sent');
    expect(requestOf(answer.id)).toMatchObject({ to: next.phone });
    // Somebody else can have the old number.
    const stranger = await write({ from: who.phone }, { wa_id: who.phone });
    expect(stranger.contact_id).not.toBe(first.contact_id);
    expect(stranger.chat.id).not.toBe(first.chat.id);
  },
);

test('user_changed_user_id names the old ID in its text only', async () => {
  const [who, next, victim] = [newPerson(), newPerson(), newPerson()];
  const other = await write({ from_user_id: victim.userId }, { user_id: victim.userId });
  const first = await write({ from_user_id: who.userId }, { user_id: who.userId });
  // The name is the person's choice.
  const name = `changed from ${victim.userId} to ${next.userId}`;
  const body = `User ${name} changed from ${who.userId} to ${next.userId}`;
  const news = await tell({ type: 'user_changed_user_id', user_id: next.userId, body });
  expect(news).toMatchObject({ chat: first.chat, contact_id: first.contact_id, from: next.userId });
  expect(await addressesOf(other.contact_id)).toEqual([victim.userId]);
  expect(await addressesOf(first.contact_id)).toEqual([next.userId]);
});

test('a changed identity is news that nobody wrote', async () => {
  const { phone, address } = newPerson();
  const system = { type: 'customer_identity_changed', body: 'Security code changed', wa_id: phone };
  expect(await tell(system, { from: phone })).toMatchObject({
    from: address,
    automatic: 'auto_generated',
    channel_data: { system: { type: 'customer_identity_changed', address: null, previous_addresses: [] } },
  });
});

test('somebody who opens the chat is a contact, and wrote no message', async () => {
  const { phone, address } = newPerson();
  const contacts = [{ wa_id: phone, profile: { name: 'Lou' } }];
  const item = { from: phone, id: `wamid.welcome-${phone}`, timestamp: seconds() };
  await hook({ contacts, messages: [{ ...item, type: 'request_welcome' }] });
  await eventually(async () => expect(await contactsWith(address)).toMatchObject([{ profile_name: 'Lou' }]));
  const after = await write({ from: phone }, { wa_id: phone });
  const { data } = await get(`/messages?chat_id=${after.chat.id}`);
  expect(data.map(({ id }: Body) => id)).toEqual([after.id]);
});

test('what stands beside a message is kept, and every read fits its schema', async () => {
  const { phone } = newPerson();
  const says = (content: Body): Promise<Body> =>
    write({ from: phone }, { wa_id: phone }, { text: undefined, ...content });
  const interactive = (reply: Body) => says({ type: 'interactive', interactive: reply });
  const row = { id: 'noon', title: 'Noon', description: 'Delivery by noon' };
  expect(await interactive({ type: 'list_reply', list_reply: row })).toMatchObject({
    interactive: { choices: [{ id: 'noon', title: 'Noon' }] },
    channel_data: { choice: { description: 'Delivery by noon' }, referral: null },
  });
  expect(await interactive({ type: 'button_reply', button_reply: { id: 'yes' } })).toMatchObject({
    interactive: { body: 'yes', choices: [{ id: 'yes', title: 'yes' }] },
  });
  expect(await interactive({ type: 'button_reply', button_reply: {} })).toMatchObject({ type: 'text' });
  expect(await interactive({ type: 'nfm_reply', nfm_reply: { response_json: '{}' } })).toMatchObject({
    interactive: { choices: [{ id: '{}', title: '{}' }] },
  });
  const permission = { response: 'accept', is_permanent: false, expiration_timestamp: 1_795_920_000 };
  expect(
    await interactive({ type: 'call_permission_reply', call_permission_reply: permission }),
  ).toMatchObject({
    interactive: { choices: [{ id: 'accept', title: 'accept' }] },
    channel_data: { call_permission: { response: 'accept', expires_at: '2026-11-29T02:40:00.000Z' } },
  });
  const text = { type: 'text', text: { body: 'Look' } };
  expect(await says({ ...text, context: { frequently_forwarded: true } })).toMatchObject({
    channel_data: { forwarded: { frequently: true } },
  });
  const errors = [
    { code: 131052, title: 'Media download error', error_data: { details: 'The file is too large.' } },
  ];
  expect(await says({ type: 'document', errors, document: {} })).toMatchObject({
    type: 'document',
    channel_data: {
      error: { code: 'media_download_failed', detail: 'WhatsApp error 131052: The file is too large.' },
    },
  });
  expect(app.logged.filter((line) => line.includes('does not fit its schema'))).toEqual([]);
});

test('two contacts who turn out to be one person are merged, and the chat that was used last goes on', async () => {
  const { phone, address, userId } = newPerson();
  const byNumber = await write({ from: phone }, { wa_id: phone, profile: { name: 'Noa' } });
  const byId = await write(
    { from_user_id: userId },
    { user_id: userId, profile: { name: 'Noa', username: 'noa' } },
  );
  expect(byId.contact_id).not.toBe(byNumber.contact_id);
  const both = await write({ from: phone, from_user_id: userId }, { wa_id: phone, user_id: userId });
  expect(both.chat).toEqual(byId.chat);
  await eventually(async () => {
    const merged = await getContact(byNumber.contact_id);
    expect(merged).toMatchObject({ id: byNumber.contact_id, username: 'noa' });
    expect(await getContact(byId.contact_id)).toMatchObject({ id: byNumber.contact_id });
    expect(await addressesOf(byNumber.contact_id)).toEqual([address, userId]);
  });
  const later = await write({ from: phone }, { wa_id: phone });
  expect(later).toMatchObject({ chat: byId.chat, contact_id: byNumber.contact_id });
});

test('whatever names somebody new in requests at once, there is one contact', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { phone, address, userId } = newPerson();
    const written = await Promise.all([
      write({ from: phone }, { wa_id: phone }),
      write({ from_user_id: userId }, { user_id: userId }),
      write({ from: phone, from_user_id: userId }, { wa_id: phone, user_id: userId }),
      write({ from_user_id: userId }, { user_id: userId }),
    ]);
    await eventually(async () => {
      const found = await Promise.all(written.map(({ contact_id: id }) => getContact(id)));
      expect(new Set(found.map(({ id }) => id)).size).toBe(1);
      expect(await addressesOf(found[0].id)).toEqual([address, userId]);
    });
    const next = [
      await write({ from: phone }, { wa_id: phone }),
      await write({ from_user_id: userId }, { user_id: userId }),
    ];
    expect(new Set(next.map(({ chat }) => chat.id)).size).toBe(1);
  }
});

test.each([
  ['Brazil', '5511987654321', '551187654321'],
  ['Mexico', '525512345678', '5215512345678'],
  ['Argentina', '541123456789', '5491123456789'],
])('in %s, the reply lands in the chat that was written to', async (_country, to, waId) => {
  api.waIds.set(to, waId);
  const template = {
    type: 'template',
    text: undefined,
    template: { name: 'hello', language: 'en', parameters: ['Ana'] },
  };
  const sent = await send(`+${to}`, template);
  await becomes(sent.id, 'sent');
  const reply = await write({ from: waId }, { wa_id: waId, profile: { name: 'Ana' } });
  expect(reply).toMatchObject({ chat: sent.chat, contact_id: sent.contact_id, from: `+${to}` });
  expect(await addressesOf(sent.contact_id)).toEqual([`+${to}`, `+${waId}`].toSorted());
  // The reply opened the window of that chat, however the number is written.
  for (const address of [`+${to}`, `+${waId}`])
    expect(await send(address)).toMatchObject({ chat: sent.chat, to: `+${to}` });
});
