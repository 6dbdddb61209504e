import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUnits, type Units } from '../unit/unit-of-work.ts';
import { createEventWriter } from '../unit/event-writer.ts';
import { toUuid } from '../vocabulary/ids.ts';
import type { MailMessage } from '../../platform/mail/mailer.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, join } from '../../../test/support/workspaces.ts';
import { expectConsistent, getWakeups } from '../../../test/support/webhooks/webhook-rows.ts';
import { createDisableBySystem } from './webhook-disabling.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;
let units: Units;

// Nothing is sent, so that rows don't change during tests.
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1', ROLE: 'api' });
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
  units = createUnits({
    db: app.database.db,
    events: createEventWriter(() => {}),
    jobs: {
      enqueue() {
        throw new Error('no jobs here');
      },
    },
  });
});
afterAll(() => app.stop());

const sent: MailMessage[] = [];
const disable = createDisableBySystem({
  baseUrl: 'https://fairlead.example.com',
  sendLater: async (_db, message) => void sent.push(message),
});
const by = (id: string, reason: 'gone' | 'failing', attemptedAt = new Date()) =>
  units.write((unit) => disable(unit, workspaceId, toUuid('webhook', id)!, reason, attemptedAt));
let count = 0;
const create = async () => {
  const url = `http://127.0.0.1:9/hook-of-token-${++count}`;
  const { status, body } = await app.call('/webhooks', {
    key: home.key,
    body: { url, events: ['member.*'] },
  });
  expect(status).toBe(201);
  return body;
};
const get = async (id: string) => (await app.call(`/webhooks/${id}`, { key: home.key })).body;

describe('disabling by the system', () => {
  test('is told by an event and by mail to owners and admins, and cancels what waits', async () => {
    const admin = await join(app, home, 'admin');
    await join(app, home, 'developer');
    const webhook = await create();
    expect(await by(webhook.id, 'failing')).toBe(true);
    const after = await get(webhook.id);
    expect(after).toMatchObject({ enabled: false, disabled_reason: 'failing' });
    expect(Date.parse(after.disabled_at)).toBeGreaterThan(Date.parse(webhook.created_at));
    await expectConsistent(app, after);
    expect(await getWakeups(app, webhook.id)).toHaveLength(1);
    const events = await getEvents(app, workspaceId);
    expect(events.at(-1)).toMatchObject({ type: 'webhook.disabled', data: { object: after } });
    expect(sent.map(({ to }) => to).sort()).toEqual([admin.email, home.owner.email].sort());
    const { slug } = (await home.owner.call('/workspaces')).body.data[0];
    const page = `https://fairlead.example.com/user/api/w/${slug}/webhooks/${webhook.id}`;
    expect(sent[0]!.text).toContain(page);
    for (const { subject, text, html } of sent) expect(subject + text + html).not.toContain('token');
  });

  test('happens once, however many tell of it at once', async () => {
    const { id } = await create();
    const mails = sent.length;
    const answers = await Promise.all([by(id, 'gone'), by(id, 'failing'), by(id, 'gone')]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(sent.length - mails).toBe(2);
    expect(await getWakeups(app, id)).toHaveLength(1);
  });

  test('says nothing of what was changed while the attempt was under way', async () => {
    const { id } = await create();
    const began = new Date();
    await new Promise((resolve) => setTimeout(resolve, 2));
    const url = 'http://127.0.0.1:9/where-it-is-now';
    await app.call(`/webhooks/${id}`, { key: home.key, method: 'PATCH', body: { url } });
    expect(await by(id, 'gone', began)).toBe(false);
    expect((await get(id)).enabled).toBe(true);
    expect(await by(id, 'gone')).toBe(true);
  });

  test('leaves alone what a user disabled, and what is gone', async () => {
    const { id } = await create();
    await app.call(`/webhooks/${id}`, { key: home.key, method: 'PATCH', body: { enabled: false } });
    expect(await by(id, 'gone')).toBe(false);
    expect((await get(id)).disabled_reason).toBe('user');
    await app.call(`/webhooks/${id}`, { key: home.key, method: 'DELETE' });
    expect(await by(id, 'gone')).toBe(false);
  });

  test('without mail the event tells alone', async () => {
    const { id } = await create();
    const silent = createDisableBySystem({ baseUrl: 'https://fairlead.example.com', sendLater: null });
    const mails = sent.length;
    expect(
      await units.write((unit) => silent(unit, workspaceId, toUuid('webhook', id)!, 'gone', new Date())),
    ).toBe(true);
    expect(sent).toHaveLength(mails);
    expect((await get(id)).disabled_reason).toBe('gone');
  });

  test('a user who disables it then makes it stay so', async () => {
    const webhook = await create();
    await by(webhook.id, 'gone');
    const call = (path: string, body: object, method: string) =>
      app.call(path, { key: home.key, body, method });
    expect((await call(`/webhooks/${webhook.id}`, { enabled: false }, 'PATCH')).body.disabled_reason).toBe(
      'user',
    );
    const again = await call('/webhooks', { url: webhook.url, events: webhook.events }, 'POST');
    expect([again.status, again.body.enabled]).toEqual([200, false]);
  });
});
