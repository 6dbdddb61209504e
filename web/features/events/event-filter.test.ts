import { expect, test } from 'vitest';
import type { EventType } from '../../api/types.ts';
import { matchesFilter, searchTypes, surfaceName, withPatterns } from './event-filter.ts';

test('offers a wildcard for each noun with several types', () => {
  expect(withPatterns(['link.created', 'link.deleted', 'ping'])).toEqual([
    'link.*',
    'link.created',
    'link.deleted',
    'ping',
  ]);
});

test('matches a type, all types of a noun, or everything', () => {
  expect(matchesFilter('link.created', undefined)).toBe(true);
  expect(matchesFilter('link.created', 'link.*')).toBe(true);
  expect(matchesFilter('link_group.created', 'link.*')).toBe(false);
  expect(matchesFilter('link.created', 'link.deleted')).toBe(false);
});

test('finds types by all terms, in ID, description and scope', () => {
  const type = { id: 'member.updated', description: 'The role changed.', scope: 'members:read' } as EventType;
  expect(searchTypes([type], 'role MEMBERS')).toEqual([type]);
  expect(searchTypes([type], 'role links')).toEqual([]);
  const role = {
    id: 'role.updated',
    description: 'Of a member.updated.',
    scope: 'members:read',
  } as EventType;
  expect(searchTypes([role, type], 'member.*')).toEqual([type, role]);
  expect(searchTypes([role, type], 'role.*')).toEqual([role]);
});

test('names surfaces', () => {
  expect(surfaceName('getting_started')).toBe('Workspace');
  expect(surfaceName('short_links')).toBe('Short links');
});
