import { expect, test } from 'vitest';
import { openGroups } from './fold.ts';

const items = (count: number) => Array.from({ length: count }, () => null);
const GROUPS = [
  { label: null, items: items(1) },
  { label: 'Messaging', items: items(4) },
  { label: 'Links', items: items(4) },
  { label: 'Workspace', items: items(3) },
];

test('everything is open where it fits', () => {
  expect([...openGroups(GROUPS, 1000, null, {})]).toEqual(['Messaging', 'Links', 'Workspace']);
});

test('what does not fit folds, but never the group of the current page', () => {
  expect([...openGroups(GROUPS, 300, 'Workspace', {})]).toEqual(['Workspace']);
  expect([...openGroups(GROUPS, 400, 'Workspace', {})]).toEqual(['Workspace', 'Messaging']);
});

test('of those that do not all fit, the ones used last are open', () => {
  expect([...openGroups(GROUPS, 400, 'Workspace', {}, ['Workspace', 'Links'])]).toEqual([
    'Workspace',
    'Links',
  ]);
  expect([...openGroups(GROUPS, 300, null, {}, ['Gone', 'Links'])]).toEqual(['Links']);
});

test('what the user opens stays open, and what they close is closed', () => {
  expect([...openGroups(GROUPS, 200, null, { Links: true })]).toEqual(['Links']);
  expect([...openGroups(GROUPS, 1000, 'Links', { Messaging: false, Links: false })]).toEqual([
    'Links',
    'Workspace',
  ]);
});
