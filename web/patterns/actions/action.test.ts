import { expect, test } from 'vitest';
import { type Action, actionsFor, bulkActionsFor } from './action.ts';

interface Row {
  archived: boolean;
}
const noop = () => undefined;
const ACTIONS: Action<Row>[] = [
  { id: 'edit', label: () => 'Edit', scope: 'links:write', run: noop },
  { id: 'archive', label: () => 'Archive', applies: ({ archived }) => !archived, run: noop },
  { id: 'copy', label: () => 'Copy', run: noop },
];
const ids = (actions: { id: string }[]) => actions.map(({ id }) => id);

test('offers what the state and the scopes allow', () => {
  expect(ids(actionsFor(ACTIONS, { archived: false }, ['links:write']))).toEqual(['edit', 'archive', 'copy']);
  expect(ids(actionsFor(ACTIONS, { archived: true }, ['links:read']))).toEqual(['copy']);
});

test('offers in bulk what applies to any of the records', () => {
  const bulk = ACTIONS.map((action) => ({ ...action, label: action.label({ archived: false }), run: noop }));
  expect(ids(bulkActionsFor(bulk, [{ archived: true }, { archived: false }], []))).toEqual([
    'archive',
    'copy',
  ]);
  expect(ids(bulkActionsFor(bulk, [{ archived: true }], ['links:write']))).toEqual(['edit', 'copy']);
});
