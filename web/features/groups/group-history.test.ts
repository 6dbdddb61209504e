import { expect, test } from 'vitest';
import type { EventObject } from '../../api/types.ts';
import { describeEvent, getActor } from './group-history.ts';

const NAMES = new Map([['alice', 'Alice']]);
const event = (type: string, data: object) => ({ type, data }) as unknown as EventObject;
const SETTINGS = { announce_only: true, locked: false, members_only: false };
const updated = (group: object, before: object) =>
  describeEvent(
    event('group.updated', { object: { settings: SETTINGS, ...group }, previous_attributes: before }),
    NAMES,
  );

test('describes changes of a group', () => {
  expect(updated({ subject: 'New' }, { subject: 'Old' })).toBe('Name changed from “Old” to “New”');
  expect(updated({ description: null }, { description: 'x', picture: null, invite_url: 'y' })).toBe(
    'Description removed. Picture changed. Invitation link changed',
  );
  expect(updated({}, { settings: { ...SETTINGS, announce_only: false } })).toBe(
    'Only owners and admins can send messages',
  );
  expect(updated({}, {})).toBe('Group changed');
});

test('describes changes of participants, the first ones by name', () => {
  const change = (action: string, address: string, role: string | null = null) => ({ action, address, role });
  const describe = (...changes: object[]) =>
    describeEvent(event('group.participants_changed', { changes }), NAMES);
  expect(describe(change('added', 'alice'), change('banned', 'bob'))).toBe('Alice joined, bob was banned');
  expect(describe(change('promoted', 'alice', 'admin'))).toBe('Alice is now an admin');
  expect(describe(change('demoted', 'alice'))).toBe('Alice is now a member');
  const many = Array.from({ length: 7 }, (_, nth) => change('left', `p${nth}`));
  expect(describe(...many)).toMatch(/^p0 left, .*p4 left, 2 more changes$/);
  expect(describe()).toBe('Participants changed');
});

test('describes why the instance left, and who made a change', () => {
  expect(describeEvent(event('group.left', { why: 'banned' }), NAMES)).toBe('This instance was banned');
  expect(describeEvent(event('group.left', {}), NAMES)).toBe('This instance left');
  expect(getActor(event('group.updated', { by: { address: 'alice', from_me: false } }), NAMES)).toBe('Alice');
  expect(getActor(event('group.updated', { by: { address: 'x', from_me: true } }), NAMES)).toBe(
    'This instance',
  );
  expect(getActor(event('group.updated', {}), NAMES)).toBeNull();
});
