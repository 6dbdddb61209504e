/**
 * Tests the identity of people on WhatsApp, from signed webhooks to the REST API: numbers, user IDs and usernames
 * belong to one contact and one chat.
 */
import { afterAll, expect, test } from 'vitest';
import type { Body } from '../../../test/support/channels/whatsapp/graph-api.ts';
import { seconds, startWhatsappApp } from '../../../test/support/channels/whatsapp/whatsapp-app.ts';

const GROUP = 'Y2FwaV9ncm91cDoxODA1NTU1MDE3MjoxMjAzNjMyMjI3NzE5NjMwNjcZD';

const world = await startWhatsappApp();
afterAll(() => world.stop());

test('somebody with a username and without a number is a contact who can be answered', async () => {
  await world.hook({
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
  const message = await world.heard('wamid.IN1');
  expect(message).toMatchObject({
    from: 'US.13491208655302741918',
    text: { body: 'hi, I have a username' },
  });
  expect(await world.getContact(message.contact_id)).toMatchObject({
    profile_name: 'Sam',
    username: 'sam.r',
    identities: [{ address: 'US.13491208655302741918' }],
  });
  await world.write(
    { from_user_id: 'US.13491208655302741918' },
    { profile: { name: 'Sam', username: 'sammy' }, user_id: 'US.13491208655302741918' },
  );
  await world.eventually(async () =>
    expect(await world.getContact(message.contact_id)).toMatchObject({ username: 'sammy' }),
  );
  const sent = await world.send(' us.13491208655302741918 ');
  expect(sent).toMatchObject({ to: 'US.13491208655302741918', chat: message.chat });
  await world.becomes(sent.id, 'sent');
  const request = world.getRequest(sent.id);
  expect(request).toMatchObject({ recipient: 'US.13491208655302741918', recipient_type: 'individual' });
  expect(request).not.toHaveProperty('to');
  const block = await world.call(`/contacts/${message.contact_id}/block`, undefined, 'POST');
  expect(block.status).toBeLessThan(300);
  await world.eventually(async () =>
    expect(world.api.requests.find(({ path }) => path.endsWith('/block_users'))!.body.block_users).toEqual([
      { user_id: 'US.13491208655302741918' },
    ]),
  );
});

test('a person is found and exported by username and by every address, until erased', async () => {
  const { phone, address, userId } = world.newPerson();
  const names = { profile: { name: 'Zoe Quist', username: 'zq.vermeer' } };
  const { contact_id: id, chat } = await world.write(
    { from: phone, from_user_id: userId },
    { wa_id: phone, user_id: userId, ...names },
  );
  const inGroup = await world.write({ from_user_id: userId, group_id: GROUP }, { user_id: userId, ...names });
  const react = { type: 'reaction', reaction: { message_id: inGroup.external_id, emoji: '👍' } };
  await world.hook({
    messages: [
      { id: `wamid.re-${phone}`, timestamp: seconds(), from_user_id: userId, group_id: GROUP, ...react },
    ],
  });
  await world.eventually(async () =>
    expect((await world.get(`/messages/${inGroup.id}`)).reactions).toHaveLength(1),
  );
  const find = async (query: string): Promise<string[]> =>
    (await world.get(`/contacts?${query}`)).data.map((one: Body) => one.id);
  const queries = ['search=vermeer', `address=${encodeURIComponent(address)}`, `address=${userId}`];
  for (const query of queries) expect([query, await find(query)]).toEqual([query, [id]]);
  const exported = await world.call('/contacts/export?search=vermeer');
  const lines = String(exported.body)
    .split(/\r?\n/)
    .filter((line) => line.includes('zq.vermeer'));
  expect([address, userId].filter((one) => lines.some((line) => line.includes(one)))).toHaveLength(2);
  await world.write({ from: phone }, { wa_id: phone, profile: { name: 'Zoe Quist', username: 'other' } });
  expect(await find('search=vermeer')).toEqual([]);
  expect(await find('search=other')).toEqual([id]);
  expect(await world.call(`/contacts/${id}`, undefined, 'DELETE')).toHaveStatus(204);
  for (const query of [...queries, 'search=other']) expect([query, await find(query)]).toEqual([query, []]);
  await world.eventually(async () =>
    expect(await world.get(`/messages/${inGroup.id}`)).toMatchObject({
      from: null,
      contact_id: null,
      reactions: [],
    }),
  );
  const again = await world.write({ from_user_id: userId }, { user_id: userId });
  expect(again.chat.id).not.toBe(chat.id);
  expect(await world.getAddresses(again.contact_id)).toEqual([userId]);
});

test.each<[string, (who: ReturnType<typeof world.newPerson>) => [Body, Body]]>([
  ['the contact alone names the writer', ({ userId }) => [{}, { user_id: userId }]],
  ['a user ID stands where the number was', ({ userId }) => [{ from: userId }, { wa_id: userId }]],
  ['only the ID of the parent is there', ({ parentId }) => [{ from_parent_user_id: parentId }, {}]],
  ['there is no contact', ({ userId }) => [{ from_user_id: userId }, {}]],
])('a message is kept where %s', async (_name, toWebhookFields) => {
  const who = world.newPerson();
  const [from, contact] = toWebhookFields(who);
  const message = await world.write(from, contact);
  expect([who.userId, who.parentId]).toContain(message.from);
  await world.becomes((await world.send(message.from)).id, 'sent');
});

test('what can be no user ID is refused at the door', async () => {
  for (const to of ['US.', 'U.1', 'US.1349-1', `US.${'1'.repeat(129)}`, 'USA.1', 'US.ENT.']) {
    const body = { instance_id: world.instance.id, to, type: 'text', text: { body: 'x' } };
    const { status, body: problem } = await world.call('/messages', body, 'POST');
    expect([to, status, problem.code]).toEqual([to, 422, 'invalid_address']);
  }
});

test('a number that is known later joins the contact and its chat', async () => {
  const { phone, address, userId, parentId } = world.newPerson();
  const contact = { profile: { name: 'Lea', username: 'lea' } };
  const first = await world.write({ from_user_id: userId }, { ...contact, user_id: userId });
  const second = await world.write(
    { from: phone, from_user_id: userId, from_parent_user_id: parentId },
    { ...contact, wa_id: phone, user_id: userId, parent_user_id: parentId },
  );
  const third = await world.write({ from: phone }, { ...contact, wa_id: phone });
  for (const later of [second, third])
    expect(later).toMatchObject({ contact_id: first.contact_id, chat: first.chat });
  expect(await world.getAddresses(first.contact_id)).toEqual([address, parentId, userId].toSorted());
  for (const to of [address, userId, parentId])
    expect(await world.send(to)).toMatchObject({ chat: first.chat });
});

test('a user ID that is known later joins the contact with the number', async () => {
  const { phone, address, userId } = world.newPerson();
  const first = await world.write({ from: phone }, { wa_id: phone, profile: { name: 'Kim' } });
  await world.write({ from: phone, from_user_id: userId }, { wa_id: phone, user_id: userId });
  const hidden = await world.write(
    { from_user_id: userId },
    { user_id: userId, profile: { name: 'Kim', username: 'kim' } },
  );
  expect(hidden).toMatchObject({ contact_id: first.contact_id, chat: first.chat, from: address });
  // The number still reaches a person who no longer shows it.
  const answer = await world.send(userId);
  await world.becomes(answer.id, 'sent');
  expect(world.getRequest(answer.id)).toMatchObject({ to: phone });
});

test('statuses tell the user ID of somebody who was written to by number', async () => {
  const { phone, address, userId } = world.newPerson();
  await world.write({ from: phone }, { wa_id: phone });
  const sent = await world.becomes((await world.send(address)).id, 'sent');
  await world.hook({
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
  await world.becomes(sent.id, 'delivered');
  expect(await world.getAddresses(sent.contact_id)).toEqual([address, userId]);
  // Read by a person without a number.
  await world.hook({
    statuses: [{ id: sent.external_id, status: 'read', timestamp: seconds(), recipient_user_id: userId }],
  });
  await world.becomes(sent.id, 'read');
});

test('echoes, contacts of the phone app and groups name people by user ID', async () => {
  const [echoed, listed, member] = [world.newPerson(), world.newPerson(), world.newPerson()];
  const echo = {
    from: world.number,
    to_user_id: echoed.userId,
    id: `wamid.echo-${echoed.phone}`,
  };
  await world.hook(
    { message_echoes: [{ ...echo, timestamp: seconds(), type: 'text', text: { body: 'From my phone' } }] },
    'smb_message_echoes',
  );
  expect(await world.heard(echo.id)).toMatchObject({ direction: 'outbound', to: echoed.userId });
  const contact = { full_name: 'Ann Example', user_id: listed.userId, username: 'ann' };
  await world.hook({ state_sync: [{ type: 'contact', action: 'add', contact }] }, 'smb_app_state_sync');
  await world.eventually(async () =>
    expect(await world.findContacts(listed.userId)).toMatchObject([
      { profile_name: 'Ann Example', username: 'ann' },
    ]),
  );
  const inGroup = { group_id: GROUP, timestamp: Number(seconds()) };
  const added_participants = [{ user_id: member.userId, profile: { name: 'Mia' } }];
  await world.hook(
    { groups: [{ ...inGroup, type: 'group_create', subject: 'Trip', added_participants }] },
    'group_lifecycle_update',
  );
  const participants = async (): Promise<Body[]> => {
    const [group] = (await world.get(`/groups?instance_id=${world.instance.id}`)).data;
    return (await world.get(`/groups/${group.id}/participants`)).data;
  };
  await world.eventually(async () =>
    expect((await participants()).map(({ address }) => address)).toContain(member.userId),
  );
  const message = await world.write(
    { from_user_id: member.userId, group_id: GROUP },
    { user_id: member.userId },
  );
  expect(message).toMatchObject({ from: member.userId });
  // Named only by the number, once it is known: the same member leaves.
  await world.write(
    { from: member.phone, from_user_id: member.userId },
    { wa_id: member.phone, user_id: member.userId },
  );
  const removed_participants = [{ wa_id: member.phone }];
  await world.hook(
    { groups: [{ ...inGroup, type: 'group_participants_remove', removed_participants }] },
    'group_participants_update',
  );
  await world.eventually(async () =>
    expect((await participants()).map(({ address }) => address)).not.toContain(member.userId),
  );
});

test('a new user ID replaces the old one, in the same chat', async () => {
  const { phone, userId } = world.newPerson();
  const [next, newest] = [world.newPerson(), world.newPerson()];
  const first = await world.write({ from_user_id: userId }, { user_id: userId, profile: { name: 'Jo' } });
  const update = (previous: string, current: string, more: Body = {}): Promise<void> =>
    world.hook(
      { user_id_update: [{ ...more, user_id: { previous, current }, timestamp: seconds() }] },
      'user_id_update',
    );
  await update(userId, next.userId);
  const second = await world.write({ from_user_id: next.userId }, { user_id: next.userId });
  expect(second).toMatchObject({ contact_id: first.contact_id, chat: first.chat, from: next.userId });
  const answer = await world.send(next.userId);
  await world.becomes(answer.id, 'sent');
  expect(world.getRequest(answer.id)).toMatchObject({ recipient: next.userId });
  await update(next.userId, newest.userId, { wa_id: phone });
  const third = await world.write({ from_user_id: newest.userId }, { user_id: newest.userId });
  expect(third).toMatchObject({ contact_id: first.contact_id, chat: first.chat });
  expect(await world.getAddresses(first.contact_id)).toEqual([`+${phone}`, newest.userId]);
});

test('two contacts who turn out to be one person are merged, and the chat that was used last goes on', async () => {
  const { phone, address, userId } = world.newPerson();
  const byNumber = await world.write({ from: phone }, { wa_id: phone, profile: { name: 'Noa' } });
  const byId = await world.write(
    { from_user_id: userId },
    { user_id: userId, profile: { name: 'Noa', username: 'noa' } },
  );
  expect(byId.contact_id).not.toBe(byNumber.contact_id);
  const both = await world.write({ from: phone, from_user_id: userId }, { wa_id: phone, user_id: userId });
  expect(both.chat).toEqual(byId.chat);
  await world.eventually(async () => {
    const merged = await world.getContact(byNumber.contact_id);
    expect(merged).toMatchObject({ id: byNumber.contact_id, username: 'noa' });
    expect(await world.getContact(byId.contact_id)).toMatchObject({ id: byNumber.contact_id });
    expect(await world.getAddresses(byNumber.contact_id)).toEqual([address, userId]);
  });
  const later = await world.write({ from: phone }, { wa_id: phone });
  expect(later).toMatchObject({ chat: byId.chat, contact_id: byNumber.contact_id });
});

test('whatever names somebody new in requests at once, there is one contact', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { phone, address, userId } = world.newPerson();
    const written = await Promise.all([
      world.write({ from: phone }, { wa_id: phone }),
      world.write({ from_user_id: userId }, { user_id: userId }),
      world.write({ from: phone, from_user_id: userId }, { wa_id: phone, user_id: userId }),
      world.write({ from_user_id: userId }, { user_id: userId }),
    ]);
    await world.eventually(async () => {
      const found = await Promise.all(written.map(({ contact_id: id }) => world.getContact(id)));
      expect(new Set(found.map(({ id }) => id)).size).toBe(1);
      expect(await world.getAddresses(found[0].id)).toEqual([address, userId]);
    });
    const next = [
      await world.write({ from: phone }, { wa_id: phone }),
      await world.write({ from_user_id: userId }, { user_id: userId }),
    ];
    expect(new Set(next.map(({ chat }) => chat.id)).size).toBe(1);
  }
});

test.each([
  ['Brazil', '5511987654321', '551187654321'],
  ['Mexico', '525512345678', '5215512345678'],
  ['Argentina', '541123456789', '5491123456789'],
])('in %s, the reply lands in the chat that was written to', async (_country, to, waId) => {
  world.api.waIds.set(to, waId);
  const template = {
    type: 'template',
    text: undefined,
    template: { name: 'hello', language: 'en', parameters: ['Ana'] },
  };
  const sent = await world.send(`+${to}`, template);
  await world.becomes(sent.id, 'sent');
  const reply = await world.write({ from: waId }, { wa_id: waId, profile: { name: 'Ana' } });
  expect(reply).toMatchObject({ chat: sent.chat, contact_id: sent.contact_id, from: `+${to}` });
  expect(await world.getAddresses(sent.contact_id)).toEqual([`+${to}`, `+${waId}`].toSorted());
  // The reply opened the window of that chat, however the number is written.
  for (const address of [`+${to}`, `+${waId}`])
    expect(await world.send(address)).toMatchObject({ chat: sent.chat, to: `+${to}` });
});
