/** XMPP accounts over the API: valid and invalid settings, and secrets. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { startProsody, HAS_PROSODY, PROSODY } from '../../../../test/support/channels/xmpp/prosody.ts';
import {
  features,
  HEADER,
  mechanisms,
  startScriptedServer,
} from '../../../../test/support/channels/xmpp/scripted-server.ts';
import { needs } from '../../../../test/support/needs.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const PASSWORD = 'hunter2-and-some-more';
/** A public address. These tests never connect to it. */
const HOST = '8.8.8.8';
let made = 0;

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const account = (settings: object = {}, password = PASSWORD) => ({
  name: 'Support',
  channel: 'xmpp',
  settings: { jid: `support${++made}@example.com`, host: HOST, ...settings },
  credentials: { password },
});
const check = (settings: object, password = PASSWORD) =>
  call('/channels/xmpp/check', {
    settings: { jid: `ada${++made}@bad.test`, host: '127.0.0.1', security: 'none', ...settings },
    credentials: { password },
  });

test('an account has its normalized address, and its password is never shown', async () => {
  const { status, body } = await call('/instances', account({ jid: 'Support@Example.COM' }));
  expect([status, body.address, body.channel]).toEqual([201, 'support@example.com', 'xmpp']);
  expect(JSON.stringify(body)).not.toContain(PASSWORD);
  const shown = await call(`/instances/${body.id}`);
  expect(JSON.stringify(shown.body)).not.toContain(PASSWORD);
  expect(app.logged.join('\n')).not.toContain(PASSWORD);
});

test.each([
  ['/settings/jid', { jid: 'support' }],
  ['/settings/jid', { jid: 'example.com' }],
  ['/settings/jid', { jid: 'support@example.com/phone' }],
  ['/settings/group_service', { group_service: 'rooms@example.com' }],
])('an invalid address is rejected with its pointer (%s)', async (pointer, settings) => {
  const { status, body } = await call('/instances', account(settings));
  expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'unprocessable', pointer]);
});

test('invalid settings are reported with their pointers', async () => {
  const { status, body } = await call('/instances', account({ security: 'ssl', port: 0, colour: 'red' }));
  expect(status).toBe(400);
  const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer);
  expect(pointers.sort()).toEqual(['/settings/colour', '/settings/port', '/settings/security']);
});

test.each([
  ['/settings/host', { host: '169.254.169.254' }],
  ['/settings/jid', { jid: 'ada@169.254.169.254', host: null }],
  ['/settings/jid', { jid: 'ada@[::1]', host: null }],
])('an internal address is rejected (%s)', async (pointer, settings) => {
  const { status, body } = await call('/instances', account(settings));
  expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'address_not_allowed', pointer]);
});

test.each([{ jid: 'support@other.example' }, { host: '9.9.9.9' }, { port: 5000 }, { security: 'none' }])(
  'a change of the server requires the password again (%o)',
  async (change) => {
    const given = account();
    const { body } = await call('/instances', given);
    const settings = { ...given.settings, ...change };
    const moved = await call(`/instances/${body.id}`, { settings }, 'PATCH');
    expect([moved.status, moved.body.errors?.[0].pointer]).toEqual([422, '/credentials']);
    const known = await call(
      `/instances/${body.id}`,
      { settings, credentials: { password: PASSWORD } },
      'PATCH',
    );
    expect(known).toHaveStatus(200);
  },
);

test('a check does not reveal what another service at the port sends', async () => {
  const { port } = await startScriptedServer(async (line) => {
    line.say('220 inner.example ESMTP\r\n');
    await line.gone;
  });
  const { status, body } = await check({ port });
  expect([status, body.ok, body.error.code]).toEqual([200, false, 'invalid_stream']);
  expect(JSON.stringify(body)).not.toContain('inner.example');
});

test('a check of an invalid address is rejected', async () => {
  const { status, body } = await check({ jid: 'nobody' });
  expect([status, body.errors?.[0].pointer ?? body.error.code]).toEqual([422, '/settings/jid']);
});

test('a check that would reveal the password is refused', async () => {
  let said = '';
  const { port } = await startScriptedServer(async (line) => {
    await line.until(/<stream:stream[^>]*>/);
    line.socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    line.say(HEADER + features(mechanisms('PLAIN')));
    await line.gone;
  });
  const { body } = await check({ port });
  expect(body.error.code).toBe('plain_refused');
  expect(said).not.toContain('auth');
});

test('a check of a real account connects to it', needs(PROSODY, HAS_PROSODY), async () => {
  const prosody = await startProsody();
  try {
    const { address, password } = await prosody.addUser('checked');
    const settings = { jid: address, port: prosody.port };
    const { body } = await check(settings, password);
    expect(body).toMatchObject({ ok: true, address, error: null });
    expect((await check(settings, 'wrong')).body.error.code).toBe('authentication_failed');
  } finally {
    await prosody.stop();
  }
});
