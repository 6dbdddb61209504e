import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { onlyArchives, onlyDisables, onlyShortens } from './storage-guard.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

test.each([
  [{ enabled: false }, true],
  [{ enabled: true }, false],
  [{ enabled: false, name: 'x' }, false],
  [{ enabled: false, toString: 'x' }, false],
  [{ constructor: 1 }, false],
  [{}, false],
  [[], false],
  ['enabled', false],
  [null, false],
  [undefined, false],
])('whether %j does nothing but disable: %s', (body, does) => {
  expect(onlyDisables(body)).toBe(does);
});

test('keeping shorter, and archiving, are judged by their own members', () => {
  expect(onlyShortens({ media_retention_days: 30, message_retention_days: 1 })).toBe(true);
  expect(onlyShortens({ message_retention_days: null })).toBe(false);
  expect(onlyArchives({ archived: true })).toBe(true);
  expect(onlyArchives({ archived: false })).toBe(false);
});

test.each(['__defineGetter__', '__defineSetter__', 'constructor', 'valueOf'])(
  'a member called %s is a fault of the body, like any that is not known',
  async (name) => {
    const { status, body } = await home.owner.call(`/workspaces/${home.workspace}`, {
      workspace: home.workspace,
      method: 'PATCH',
      body: { [name]: 1 },
    });
    expect([status, body.errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: `/${name}`, code: 'unknown_field' })],
    ]);
  },
);
