/**
 * Tests reassigned numbers: a number that a person gave up, or that the API removed, never leads to another person's
 * contact or chat.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Body } from '../../../test/support/channels/whatsapp/graph-api.ts';
import { seconds, startWhatsappApp } from '../../../test/support/channels/whatsapp/whatsapp-app.ts';

const world = await startWhatsappApp();
afterAll(() => world.stop());

const text = (from: Body, id = `wamid.${randomBytes(10).toString('hex')}`): Body => ({
  id,
  timestamp: seconds(),
  type: 'text',
  text: { body: 'hi' },
  ...from,
});

test('a number that was given up is no longer the other chat of its former owner', async () => {
  const [ann, bob] = [world.newPerson(), world.newPerson()];
  const byNumber = await world.write({ from: ann.phone }, { wa_id: ann.phone });
  const byId = await world.write({ from_user_id: ann.userId }, { user_id: ann.userId });
  const both = await world.write(
    { from: ann.phone, from_user_id: ann.userId },
    { wa_id: ann.phone, user_id: ann.userId },
  );
  expect(both.chat).toEqual(byId.chat);
  await world.eventually(async () =>
    expect(await world.getAddresses(byId.contact_id)).toEqual([ann.address, ann.userId].toSorted()),
  );
  await world.tell(
    { type: 'user_changed_number', new_wa_id: bob.phone, user_id: ann.userId },
    { from: ann.phone, from_user_id: ann.userId },
  );
  // Another person gets the number.
  const other = await world.write({ from: ann.phone }, { wa_id: ann.phone });
  expect(other.contact_id).not.toBe(byNumber.contact_id);
  expect(other.chat.id).not.toBe(byNumber.chat.id);
  // Messages in the old chat go to its original person.
  const answer = await world.call(
    '/messages',
    { instance_id: world.instance.id, chat_id: byNumber.chat.id, type: 'text', text: { body: 'x' } },
    'POST',
  );
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  await world.becomes(answer.body.id, 'sent');
  expect([world.getRequest(answer.body.id).to, world.getRequest(answer.body.id).recipient]).not.toContain(
    ann.phone,
  );
});

test('an address that the API gave to another contact takes no other address along', async () => {
  const ann = world.newPerson();
  const first = await world.write(
    { from: ann.phone, from_user_id: ann.userId },
    { wa_id: ann.phone, user_id: ann.userId },
  );
  const at = (address: string) => ({ instance_id: world.instance.id, address });
  const patched = await world.call(
    `/contacts/${first.contact_id}`,
    { identities: [at(ann.userId)] },
    'PATCH',
  );
  expect(patched.status, JSON.stringify(patched.body)).toBe(200);
  const { status, body: bob } = await world.call(
    '/contacts',
    { name: 'Bob', identities: [at(ann.address)] },
    'POST',
  );
  expect(status).toBe(201);
  const message = await world.write({ from_user_id: ann.userId }, { user_id: ann.userId });
  expect(message).toMatchObject({ contact_id: first.contact_id, from: ann.userId });
  expect((await world.send(ann.userId)).to).toBe(ann.userId);
  expect(bob.id).not.toBe(first.contact_id);
});

test('a number that comes with another user ID has another owner', async () => {
  const [ann, bob] = [world.newPerson(), world.newPerson()];
  const first = await world.write(
    { from: ann.phone, from_user_id: ann.userId },
    { wa_id: ann.phone, user_id: ann.userId },
  );
  const second = await world.write(
    { from: ann.phone, from_user_id: bob.userId },
    { wa_id: ann.phone, user_id: bob.userId },
  );
  expect(second.contact_id).not.toBe(first.contact_id);
  expect(second.chat.id).not.toBe(first.chat.id);
  expect(await world.getAddresses(first.contact_id)).toEqual([ann.userId]);
  const third = await world.write({ from_user_id: ann.userId }, { user_id: ann.userId });
  expect(third).toMatchObject({
    contact_id: first.contact_id,
    chat: { id: first.chat.id },
    from: ann.userId,
  });
});

test('a response that names a number with another user ID takes it from its former owner only', async () => {
  const [ann, bob] = [world.newPerson(), world.newPerson()];
  const first = await world.write(
    { from: ann.phone, from_user_id: ann.userId },
    { wa_id: ann.phone, user_id: ann.userId },
  );
  const second = await world.write({ from_user_id: bob.userId }, { user_id: bob.userId });
  world.api.waIds.set(bob.userId, ann.phone);
  await world.becomes((await world.send(bob.userId)).id, 'sent');
  await world.eventually(async () =>
    expect(await world.getAddresses(second.contact_id)).toEqual([ann.address, bob.userId]),
  );
  expect(await world.getAddresses(first.contact_id)).toEqual([ann.userId]);
});

test('what was written before a change, in the same webhook, is of the person who changed', async () => {
  const [ann, next] = [world.newPerson(), world.newPerson()];
  const first = await world.write({ from: ann.phone }, { wa_id: ann.phone });
  const [before, after] = [text({ from: ann.phone }), text({ from: next.phone })];
  const news = { type: 'system', system: { type: 'user_changed_number', new_wa_id: next.phone } };
  await world.hook({ messages: [before, { ...text({ from: ann.phone }), ...news }, after] });
  for (const { id } of [after, before])
    expect(await world.heard(id)).toMatchObject({
      contact_id: first.contact_id,
      chat: { id: first.chat.id },
    });
  expect(await world.getAddresses(first.contact_id)).toEqual([next.address]);
});

test('nobody who is blocked gets through by another address', async () => {
  const ann = world.newPerson();
  const blocked = await world.write({ from: ann.phone }, { wa_id: ann.phone });
  await world.call(`/contacts/${blocked.contact_id}/block`, undefined, 'POST');
  const byId = await world.write({ from_user_id: ann.userId }, { user_id: ann.userId });
  const both = text({ from: ann.phone, from_user_id: ann.userId });
  const sign = text({ from: world.newPerson().phone });
  await world.hook({ messages: [both, sign] });
  await world.heard(sign.id);
  const { body } = await world.call(`/messages?instance_id=${world.instance.id}&limit=100`);
  expect(body.data.map((one: Body) => one.external_id)).not.toContain(both.id);
  await world.eventually(async () =>
    expect(await world.getContact(byId.contact_id)).toMatchObject({
      id: blocked.contact_id,
      blocked: true,
    }),
  );
});

test('the account itself is nobody who writes or is written to', async () => {
  const [ann, bob] = [world.newPerson(), world.newPerson()];
  const own = { wa_id: world.number, user_id: 'US.990001', profile: { name: 'Shop' } };
  const echo = (to: string) => ({ ...text({ from: world.number, to }) });
  const [one, two] = [echo(ann.phone), echo(bob.phone)];
  for (const message of [one, two])
    await world.hook({ contacts: [own], message_echoes: [message] }, 'smb_message_echoes');
  const [first, second] = [await world.heard(one.id), await world.heard(two.id)];
  expect(first).toMatchObject({ to: ann.address });
  expect(second).toMatchObject({ to: bob.address });
  expect(await world.getAddresses(first.contact_id)).toEqual([ann.address]);
});
