/** Tests WhatsApp's notices about people, data besides messages, and rejections, from webhooks to the REST API. */
import { afterAll, expect, test } from 'vitest';
import type { Body } from '../../../test/support/channels/whatsapp/graph-api.ts';
import { seconds, startWhatsappApp } from '../../../test/support/channels/whatsapp/whatsapp-app.ts';

const world = await startWhatsappApp();
afterAll(() => world.stop());

test.each(['user_changed_number', 'customer_changed_number'])(
  '%s: the new number replaces the old one',
  async (type) => {
    const [who, next] = [world.newPerson(), world.newPerson()];
    const first = await world.write({ from: who.phone }, { wa_id: who.phone, profile: { name: 'Ida' } });
    const body = `User Ida changed from ${who.phone} to ${next.phone}`;
    const named =
      type === 'user_changed_number'
        ? { wa_id: next.phone, user_id: next.userId }
        : { new_wa_id: next.phone, customer: who.phone };
    const news = await world.tell({ type, body, ...named }, { from: who.phone });
    expect(news).toMatchObject({
      chat: first.chat,
      contact_id: first.contact_id,
      automatic: 'auto_generated',
      text: { body },
      channel_data: { system: { type, address: next.address, previous_addresses: [who.address] } },
    });
    const later = await world.write({ from: next.phone }, { wa_id: next.phone });
    expect(later).toMatchObject({ chat: first.chat, contact_id: first.contact_id, from: next.address });
    const answer = await world.send(next.address);
    expect(answer).toMatchObject({ chat: first.chat });
    await world.becomes(answer.id, 'sent');
    expect(world.getRequest(answer.id)).toMatchObject({ to: next.phone });
    // Another person may get the old number.
    const stranger = await world.write({ from: who.phone }, { wa_id: who.phone });
    expect(stranger.contact_id).not.toBe(first.contact_id);
    expect(stranger.chat.id).not.toBe(first.chat.id);
  },
);

test('user_changed_user_id names the old ID in its text only', async () => {
  const [who, next, victim] = [world.newPerson(), world.newPerson(), world.newPerson()];
  const other = await world.write({ from_user_id: victim.userId }, { user_id: victim.userId });
  const first = await world.write({ from_user_id: who.userId }, { user_id: who.userId });
  // The name is the person's choice.
  const name = `changed from ${victim.userId} to ${next.userId}`;
  const body = `User ${name} changed from ${who.userId} to ${next.userId}`;
  const news = await world.tell({ type: 'user_changed_user_id', user_id: next.userId, body });
  expect(news).toMatchObject({ chat: first.chat, contact_id: first.contact_id, from: next.userId });
  expect(await world.getAddresses(other.contact_id)).toEqual([victim.userId]);
  expect(await world.getAddresses(first.contact_id)).toEqual([next.userId]);
});

test('a changed identity is news that nobody wrote', async () => {
  const { phone, address } = world.newPerson();
  const system = { type: 'customer_identity_changed', body: 'Security code changed', wa_id: phone };
  expect(await world.tell(system, { from: phone })).toMatchObject({
    from: address,
    automatic: 'auto_generated',
    channel_data: { system: { type: 'customer_identity_changed', address: null, previous_addresses: [] } },
  });
});

test('content that Meta would reject is refused with its place, and nothing is queued', async () => {
  const { phone, address } = world.newPerson();
  const { chat } = await world.write({ from: phone }, { wa_id: phone });
  const refused = async (content: Body, pointer: string): Promise<void> => {
    const { status, body } = await world.call(
      '/messages',
      { instance_id: world.instance.id, to: address, ...content },
      'POST',
    );
    expect([status, body.errors.map((error: Body) => error.pointer)]).toEqual([422, [pointer]]);
  };
  const same = [
    { id: 'a', title: 'Same' },
    { id: 'b', title: 'Same' },
  ];
  await refused(
    { type: 'interactive', interactive: { body: 'x', choices: same } },
    '/interactive/choices/1/title',
  );
  const blank = [{ id: ' a ', title: 'A' }];
  await refused(
    { type: 'interactive', interactive: { body: 'x', choices: blank } },
    '/interactive/choices/0/id',
  );
  const template = { name: 'hello', language: 'en', parameters: ['two\nlines'] };
  await refused({ type: 'template', template }, '/template/parameters/0');
  expect((await world.get(`/messages?chat_id=${chat.id}`)).data).toHaveLength(1);
});

test('somebody who opens the chat is a contact, and wrote no message', async () => {
  const { phone, address } = world.newPerson();
  const contacts = [{ wa_id: phone, profile: { name: 'Lou' } }];
  const item = { from: phone, id: `wamid.welcome-${phone}`, timestamp: seconds() };
  await world.hook({ contacts, messages: [{ ...item, type: 'request_welcome' }] });
  await world.eventually(async () =>
    expect(await world.findContacts(address)).toMatchObject([{ profile_name: 'Lou' }]),
  );
  const after = await world.write({ from: phone }, { wa_id: phone });
  const { data } = await world.get(`/messages?chat_id=${after.chat.id}`);
  expect(data.map(({ id }: Body) => id)).toEqual([after.id]);
});

test('what stands beside a message is kept, and every read fits its schema', async () => {
  const { phone } = world.newPerson();
  const says = (content: Body): Promise<Body> =>
    world.write({ from: phone }, { wa_id: phone }, { text: undefined, ...content });
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
  expect(world.app.logged.filter((line) => line.includes('does not fit its schema'))).toEqual([]);
});
