import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnits } from '../unit/unit-of-work.ts';
import { createEventWriter } from '../unit/event-writer.ts';
import type { MailMessage } from '../../platform/mail/mailer.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { remindOfExpiringKeys } from './key-reminder.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const DAY = 24 * 3600 * 1000;

test('the owners hear of a key seven days before it ends, once, and again after a later expiry', async () => {
  const make = (name: string, days: number) =>
    home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name, preset: 'links', expires_at: new Date(Date.now() + days * DAY).toISOString() },
    });
  const soon = (await make('soon', 30)).body;
  await make('later', 90);
  await make('made for a day', 1);
  const revoked = (await make('revoked', 30)).body;
  await home.owner.call(`/api-keys/${revoked.id}/revoke`, { workspace: home.workspace, method: 'POST' });

  const sent: MailMessage[] = [];
  let now = Date.now() + 24 * DAY;
  const units = createUnits({
    db: app.database.db,
    events: createEventWriter(() => {}),
    jobs: { enqueue: async () => {} },
    clock: () => new Date(now),
  });
  const remind = () =>
    remindOfExpiringKeys(units, {
      baseUrl: 'https://fairlead.example.com',
      sendLater: async (_db, message) => void sent.push(message),
    });

  expect(await Promise.all([remind(), remind()]).then(([a, b]) => a + b)).toBe(1);
  expect(sent).toHaveLength(1);
  expect(sent[0]!.to).toBe(home.owner.email);
  expect(sent[0]!.text).toContain(soon.last4);
  expect(sent[0]!.text).toContain('will be disabled when it expires');
  const { slug } = (await home.owner.call('/workspaces')).body.data[0];
  expect(sent[0]!.text).toContain(`https://fairlead.example.com/user/api/w/${slug}/api-keys?id=${soon.id}`);
  expect(sent[0]!.text).not.toContain(soon.secret);
  expect(await remind()).toBe(0);

  const expires_at = new Date(now + 20 * DAY).toISOString();
  await home.owner.call(`/api-keys/${soon.id}`, {
    workspace: home.workspace,
    method: 'PATCH',
    body: { expires_at },
  });
  expect(await remind()).toBe(0);
  now += 14 * DAY;
  await remind();
  expect(sent).toHaveLength(2);
});
