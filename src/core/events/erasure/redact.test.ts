import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../vocabulary/ids.ts';
import { idsAlone, isMentionedIn, getPatterns, getPersonalData } from './person.ts';
import { isErasedEvent, redactAnswer, redactData } from './redact.ts';

const [contact, chat, instance, other] = [newUuid(), newUuid(), newUuid(), newUuid()];
const con = publicId('contact', contact);
const ins = publicId('instance', instance);
const elsewhere = publicId('instance', other);
const traces = getPersonalData({
  workspaceId: newUuid(),
  erasureId: newUuid(),
  contactIds: [contact],
  chatIds: [chat],
  identities: [{ instance_id: instance, address: 'alice' }],
  erasedAt: new Date(),
});
const message = (more: object) => ({
  id: 'msg_1',
  object: 'message',
  instance_id: ins,
  from: 'me',
  to: 'bob',
  ...more,
});

describe('an event', () => {
  test('about the contact keeps the ID of its object alone', () => {
    const erased = { object: { id: 'msg_1', object: 'message', erased: true } };
    for (const object of [
      message({ contact_id: con, text: { body: 'words' } }),
      message({ to: 'alice' }),
      message({ from: 'alice' }),
    ])
      expect(redactData({ object, previous_attributes: { status: 'queued' } }, traces)).toEqual(erased);
    expect(redactData(erased, traces)).toBeNull();
    expect(isErasedEvent({ type: 'message.sent', data: erased })).toBe(true);
    expect(isErasedEvent({ type: 'contact.deleted', data: erased })).toBe(false);
    expect(isErasedEvent({ type: 'message.sent', data: { object: message({}) } })).toBe(false);
  });

  test('about something else loses what names the contact', () => {
    const group = {
      id: 'grp_1',
      object: 'group',
      instance_id: ins,
      owner: { address: 'alice', contact_id: con },
      participants: [
        { address: 'alice', name: 'Alice' },
        { address: 'bob', name: 'alice' },
      ],
    };
    const changes = [
      { action: 'added', address: 'alice' },
      { action: 'added', address: 'bob' },
    ];
    expect(redactData({ object: group, by: { address: 'alice' }, changes }, traces)).toEqual({
      object: { ...group, owner: null, participants: [{ address: 'bob', name: 'alice' }] },
      by: null,
      changes: [{ action: 'added', address: 'bob' }],
    });
    const answered = message({ mentions: ['alice', 'bob'], reactions: [{ from: 'alice', emoji: 'x' }] });
    expect(redactData({ object: answered }, traces)).toEqual({
      object: message({ mentions: ['bob'], reactions: [] }),
    });
    const link = { id: 'lnk_1', object: 'link', contact_id: null };
    expect(redactData({ object: link, previous_attributes: { contact_id: con } }, traces)).toEqual({
      object: link,
      previous_attributes: {},
    });
  });

  test('of others stays as it is: their words, and the same address where it is somebody else', () => {
    for (const object of [
      message({ text: { body: 'alice' } }),
      message({ text: { body: `ask ${con}` } }),
      message({ instance_id: elsewhere, to: 'alice' }),
    ])
      expect(redactData({ object }, traces)).toBeNull();
    expect(redactData({ object: message({ to: 'alice' }) }, idsAlone(traces))).toBeNull();
    expect(redactData({ object: message({ contact_id: con }) }, idsAlone(traces))).not.toBeNull();
  });
});

test('an answer that is kept is emptied too, alone or in a list', () => {
  expect(redactAnswer(message({ contact_id: con }), traces)).toEqual({
    id: 'msg_1',
    object: 'message',
    erased: true,
  });
  const list = { object: 'list', data: [message({ to: 'alice' }), message({ to: 'bob' })] };
  expect(redactAnswer(list, traces)).toEqual({ object: 'list', data: [message({ to: 'bob' })] });
  expect(redactAnswer({ object: 'list', data: [] }, traces)).toBeNull();
});

test('what is looked for is no pattern, and a short address no part of a word', () => {
  const odd = getPersonalData({
    workspaceId: '',
    erasureId: '',
    contactIds: [],
    chatIds: [],
    identities: [{ instance_id: instance, address: 'a_%\\"b' }],
    erasedAt: new Date(),
  });
  expect(getPatterns(odd)).toEqual([String.raw`%"a\_\%\\\\\\"b"%`]);
  expect(isMentionedIn('malice', traces)).toBe(false);
  expect(isMentionedIn('alice', traces)).toBe(true);
});

test('a name of a server is looked for as a whole, for it stands in texts about others', () => {
  const identities = ['shop.example', 'ann@shop.example', '+4930555010'].map((address) => ({
    instance_id: instance,
    address,
  }));
  const found = getPersonalData({
    workspaceId: newUuid(),
    erasureId: newUuid(),
    contactIds: [contact],
    chatIds: [],
    identities,
    erasedAt: new Date(),
  });
  expect(isMentionedIn('shop.example', found)).toBe(true);
  expect(isMentionedIn('see https://shop.example/tea', found)).toBe(false);
  expect(isMentionedIn('bob@shop.example', found)).toBe(false);
  expect(isMentionedIn('write to ann@shop.example', found)).toBe(true);
  expect(isMentionedIn('call +4930555010', found)).toBe(true);
});
