/** The sandbox as a user of the API meets it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await startWorkspace(app));
});
afterAll(() => app.stop());

const create = async (name: string, more: object = {}): Promise<string> => {
  const { status, body } = await app.call('/instances', { key, body: { name, channel: 'sandbox', ...more } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
};
const connect = (id: string) => app.call(`/instances/${id}/connect`, { key, method: 'POST' });
const reaches = (id: string, state: string) =>
  vi.waitFor(async () => {
    const { body } = await app.call(`/instances/${id}`, { key });
    expect(body).toMatchObject({ state });
    return body;
  }, PATIENCE);

describe('an account', () => {
  test('has the address that its name makes, which nobody else has', async () => {
    const id = await create('Sales (EU)');
    expect(await reaches(id, 'created')).toMatchObject({ address: 'sales-eu' });
    const acceptance = await app.call('/instances', { key, body: { name: 'sales eu', channel: 'sandbox' } });
    expect(acceptance).toHaveStatus(409);
    const none = await app.call('/instances', { key, body: { name: '🎉', channel: 'sandbox' } });
    expect(none).toHaveStatus(422);
    expect(none.body.errors).toMatchObject([{ pointer: '/name' }]);
    const renamed = await app.call(`/instances/${id}`, { key, method: 'PATCH', body: { name: 'Sales' } });
    expect(renamed.body).toMatchObject({ address: 'sales' });
  });

  test('is paired by a code that is shown, once', async () => {
    const id = await create('phone', { settings: { pairing: 'code', pairing_seconds: 2 } });
    await connect(id);
    await reaches(id, 'action_required');
    const { body } = await app.call(`/instances/${id}/pairing`, { key });
    expect(body).toMatchObject({ kind: 'code' });
    expect(JSON.stringify(body)).toMatch(/[B-Z2-9]{4}-[B-Z2-9]{4}/);
    await reaches(id, 'connected');
    await app.call(`/instances/${id}/restart`, { key, method: 'POST' });
    await reaches(id, 'connected');
    const { rows } = await app.database.pool.query(
      `select count(*)::int as n from events where type = 'instance.state_changed'
       and data #>> '{object,state}' = 'action_required' and data #>> '{object,id}' = $1`,
      [id],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('with a wrong password fails, and says so before it is made too', async () => {
    const credentials = { password: 'wrong' };
    const id = await create('refused', { credentials });
    await connect(id);
    expect(await reaches(id, 'failed')).toMatchObject({ last_error: { code: 'authentication_failed' } });
    const checked = await app.call('/channels/sandbox/check', {
      key,
      body: { name: 'refused', settings: {}, credentials },
    });
    expect(checked.body).toMatchObject({ ok: false, error: { code: 'authentication_failed' } });
  });
});

describe.concurrent('messages', () => {
  const connected = async (name: string, more: object = {}): Promise<string> => {
    const id = await create(name, more);
    await connect(id);
    await reaches(id, 'connected');
    return id;
  };
  const send = async (instance: string, to: string, body = 'quiet'): Promise<string> => {
    const answer = await app.call('/messages', {
      key,
      body: { instance_id: instance, to, type: 'text', text: { body } },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return answer.body.id;
  };
  const expectMessage = (id: string, wanted: object) =>
    vi.waitFor(async () => {
      const { body } = await app.call(`/messages/${id}`, { key });
      expect(body).toMatchObject(wanted);
      return body;
    }, PATIENCE);
  const getInbound = async (instance: string) => {
    const { body } = await app.call(`/messages?instance_id=${instance}&direction=inbound`, { key });
    return body.data;
  };

  test('to a scripted contact are read and answered', async () => {
    const id = await connected('talker');
    const sent = await send(id, 'alice', 'hi');
    const read = await expectMessage(sent, { status: 'read' });
    const statuses = read.status_history.map(({ status }: { status: string }) => status);
    // Where a receipt overtakes the acknowledgement, `sent` is not made up.
    const all = ['queued', 'sending', 'sent', 'delivered', 'read'];
    expect([all, all.filter((status) => status !== 'sent')]).toContainEqual(statuses);
    const [answer] = await vi.waitFor(async () => {
      const heard = await getInbound(id);
      expect(heard).toHaveLength(1);
      return heard;
    }, PATIENCE);
    expect(answer).toMatchObject({ type: 'text', from: 'alice', status: 'received' });
    expect(answer.text.body).toContain('Hello, I am Alice.');
  });

  test('between two instances arrive once, and what is done to them is told', async () => {
    const [one, two] = [await connected('Left'), await connected('Right')];
    const sent = await send(one, 'right', 'over to you');
    await expectMessage(sent, { status: 'delivered' });
    const [heard] = await getInbound(two);
    expect(heard).toMatchObject({ from: 'left', to: 'right', text: { body: 'over to you' } });
    await app.call(`/messages/${heard.id}/read`, { key, method: 'POST' });
    await app.call(`/messages/${heard.id}/reaction`, { key, method: 'PUT', body: { emoji: '👍' } });
    await expectMessage(sent, {
      status: 'read',
      reactions: [{ emoji: '👍', from: 'right', from_me: false }],
    });
    for (const [method, pinned] of [
      ['PUT', true],
      ['DELETE', false],
    ] as const) {
      await app.call(`/messages/${heard.id}/pin`, { key, method });
      await expectMessage(heard.id, { pinned, pending_action: null, action_error: null });
      await expectMessage(sent, { pinned });
    }
    await app.call(`/messages/${sent}`, { key, method: 'PATCH', body: { text: { body: 'changed' } } });
    await expectMessage(heard.id, { text: { body: 'changed' } });
    await app.call(`/messages/${sent}`, { key, method: 'DELETE' });
    const gone = await expectMessage(heard.id, { deleted_at: expect.any(String) });
    expect(gone.id).toBe(heard.id);
    expect(await getInbound(two)).toHaveLength(1);
  });

  test('to addresses of faults end as docs/sandbox.md says', async () => {
    const id = await connected('unlucky');
    const text = ['fail', 'busy', 'unknown', 'silent', 'bounce'];
    const sent = new Map<string, string>();
    for (const word of text) sent.set(word, await send(id, `${word}@x`));
    await expectMessage(sent.get('fail')!, { status: 'failed', error: { code: 'recipient_unknown' } });
    await expectMessage(sent.get('silent')!, { status: 'sent' });
    await expectMessage(sent.get('bounce')!, { status: 'failed', error: { code: 'undeliverable' } });
    await expectMessage(sent.get('busy')!, { status: 'read' });
    await expectMessage(sent.get('unknown')!, { status: 'read' });
    // Nothing keeps the rest of the account waiting.
    await expectMessage(await send(id, 'alice'), { status: 'read' });
  });

  test('that make the connection drop are delivered once it is back', async () => {
    const id = await connected('shaky');
    const sent = await send(id, 'drop@x');
    const { status_history: history } = await expectMessage(sent, { status: 'read' });
    const statuses = history.map(({ status }: { status: string }) => status);
    expect(statuses.filter((status: string) => status === 'delivered')).toHaveLength(1);
    await reaches(id, 'connected');
  });

  test('to limit@ and logout@ limit the account, and log it out', async () => {
    const [limited, gone] = [await connected('limited'), await connected('gone')];
    const sent = await send(limited, 'limit@x');
    const { restriction } = await reaches(limited, 'restricted');
    expect(restriction).toMatchObject({ kind: 'rate_limited', until: expect.any(String) });
    await send(gone, 'logout@x');
    expect(await reaches(gone, 'failed')).toMatchObject({ last_error: { code: 'logged_out' } });
    await connect(gone);
    await reaches(gone, 'connected');
    await expectMessage(sent, { status: 'read' });
    await reaches(limited, 'connected');
  });
});
