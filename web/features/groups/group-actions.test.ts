/** The actions on a participant follow from the channel's capabilities. */
import { expect, test } from 'vitest';
import type { Group, GroupParticipant, Instance } from '../../api/types.ts';
import { actionsFor } from './group-actions.ts';

const GROUP = { role: 'owner' } as Group;
const withOperations = (...operations: string[]): Instance =>
  ({ address: 'me', capabilities: { operations } }) as unknown as Instance;
const participant = (role: string, address = 'alice'): GroupParticipant =>
  ({ address, role }) as GroupParticipant;

test('only what the channel can do is offered', () => {
  const full = withOperations('groups', 'group_promote', 'group_ban');
  expect(actionsFor(participant('member'), GROUP, full)).toEqual(['promote', 'remove', 'ban']);
  expect(actionsFor(participant('admin'), GROUP, full)).toEqual(['demote', 'remove', 'ban']);
  expect(actionsFor(participant('member'), GROUP, withOperations('groups'))).toEqual(['remove']);
  expect(actionsFor(participant('owner', 'me'), GROUP, full)).toEqual([]);
});
