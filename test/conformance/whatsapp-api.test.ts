/** WhatsApp through the REST API, with Prism and Meta's description at the other end; nobody here is WhatsApp. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CHANNEL_TOOLS, HAS_CHANNEL_TOOLS, startPrism } from '../support/channels/channel-tools.ts';
import { writeDescription } from '../support/channels/whatsapp/description.ts';
import { type Body, type GraphApi, startGraphApi } from '../support/channels/whatsapp/graph-api.ts';
import { postWebhook, sign, toChange, toWebhook } from '../support/channels/whatsapp/webhooks.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Answer, startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import type { ToolProcess } from '../support/tool-process.ts';

const APP_SECRET = '0123456789abcdef0123456789abcdef';
const METADATA = { display_phone_number: '16505550000', phone_number_id: '106540352242922' };
const TOKEN = 'EAAtoken-of-the-test';

const seconds = (): string => String(Math.floor(Date.now() / 1000));
const newId = (): string => `wamid.${randomBytes(10).toString('hex')}`;

describe('WhatsApp through the API', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  let app: TestApp;
  let key: string;
  let prism: ToolProcess & { url: string };
  let api: GraphApi;
  let instance: Body;
  let callback: string;
  const stack = new AsyncDisposableStack();

  const call = (path: string, body?: unknown, method?: string): Promise<Answer> =>
    app.call(path, { key, body, method });
  const get = async (path: string): Promise<Body> => {
    const { status, body } = await call(path);
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  const post = async (path: string, given?: unknown): Promise<Body> => {
    const { status, body } = await call(path, given, 'POST');
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  };
  const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);
  const inState = (state: string): Promise<Body> =>
    eventually(async () => {
      const found = await get(`/instances/${instance.id}`);
      expect(found).toMatchObject({ state });
      return found;
    });
  const send = (message: object): Promise<Answer> =>
    call('/messages', { instance_id: instance.id, type: 'text', ...message }, 'POST');
  const becomes = (id: string, expected: object): Promise<Body> =>
    eventually(async () => {
      const found = await get(`/messages/${id}`);
      expect(found).toMatchObject(expected);
      return found;
    });
  const hook = (value: Body, field?: string, signature?: string | null): Promise<number> =>
    postWebhook(callback, toWebhook([toChange(METADATA, value, field)]), APP_SECRET, signature);
  const heard = (externalId: string): Promise<Body> =>
    eventually(async () => {
      const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
      const found = data.find((each: Body) => each.external_id === externalId);
      expect(found, externalId).toBeDefined();
      return found;
    });
  /** Somebody writes. @returns the ID of the message */
  const write = async (from: string, content: Body): Promise<string> => {
    const id = newId();
    const contacts = [{ wa_id: from, profile: { name: 'Ann Example' } }];
    expect(await hook({ contacts, messages: [{ from, id, timestamp: seconds(), ...content }] })).toBe(200);
    return id;
  };
  const report = (item: Body): Promise<number> =>
    hook({ statuses: [{ timestamp: seconds(), recipient_id: '1', ...item }] });

  beforeAll(async () => {
    const folder = stack.use(await temporaryFolder('whatsapp-'));
    prism = stack.use(await startPrism(await writeDescription(folder.path)));
    api = await startGraphApi(prism.url);
    stack.defer(() => api.stop());
    api.addAccount({
      phoneNumberId: METADATA.phone_number_id,
      businessAccountId: '102290129340398',
      number: METADATA.display_phone_number,
      token: TOKEN,
    });
    app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
    stack.defer(() => app.stop());
    ({ key } = await startWorkspace(app));
    instance = await post('/instances', {
      name: 'Shop',
      channel: 'whatsapp',
      settings: {
        phone_number_id: METADATA.phone_number_id,
        business_account_id: '102290129340398',
        api_root: api.apiRoot,
      },
      credentials: { access_token: TOKEN, app_secret: APP_SECRET, verify_token: 'fairlead-test' },
    });
    callback = `${app.base}${new URL(instance.ingress_url).pathname}`;
    await post(`/instances/${instance.id}/connect`);
    await inState('connected');
  });
  afterAll(() => stack.disposeAsync());

  test('shows no credential, verifies the callback URL, and lists the templates', async () => {
    expect(JSON.stringify(await get(`/instances/${instance.id}`))).not.toMatch(
      /EAAtoken|01234567|fairlead-test/,
    );
    const verify = async (token: string): Promise<[number, string]> => {
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '1158201444' };
      const answer = await fetch(`${callback}?${new URLSearchParams(query).toString()}`);
      return [answer.status, await answer.text()];
    };
    expect(await verify('fairlead-test')).toEqual([200, '1158201444']);
    expect((await verify('wrong'))[0]).toBe(401);
    await eventually(async () => {
      const { data } = await get(`/instances/${instance.id}/templates`);
      expect(data).toMatchObject([{ name: 'hello', language: 'en', state: 'approved' }]);
    });
  });

  test('a message in, an answer with its receipts, and a file', async () => {
    const id = await write('16505551001', { type: 'text', text: { body: 'Is it open today?' } });
    expect(await heard(id)).toMatchObject({
      direction: 'inbound',
      from: '+16505551001',
      status: 'received',
      text: { body: 'Is it open today?' },
    });
    const { status, body } = await send({ to: '+1 650 555 1001', text: { body: 'Yes' } });
    expect(status, JSON.stringify(body)).toBe(202);
    const sent = await becomes(body.id, { status: 'sent' });
    await report({ id: sent.external_id, status: 'read' });
    await report({ id: sent.external_id, status: 'delivered' });
    expect((await becomes(body.id, { status: 'read' })).external_id).toMatch(/^wamid\./);
    const file = api.addFile(Buffer.from('a picture'), 'image/png');
    const image = await write('16505551001', {
      type: 'image',
      image: { id: file, mime_type: 'image/png' },
    });
    const { image: content } = await heard(image);
    expect(await get(`/media/${content.media_id}`)).toMatchObject({ size: 9 });
  });

  test('an order has its products, and a message the ad that led to it', async () => {
    const item = { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30, currency: 'USD' };
    const order = { catalog_id: '1', text: 'Please wrap it', product_items: [item] };
    expect(await heard(await write('16505551007', { type: 'order', order }))).toMatchObject({
      type: 'text',
      text: { body: 'Please wrap it\n2 × di9ozbzfi4 (30 USD)' },
      channel_data: {
        referral: null,
        product: null,
        order: {
          catalog_id: '1',
          text: 'Please wrap it',
          items: [{ quantity: 2, price: 30, currency: 'USD' }],
        },
      },
    });
    const referral = { source_type: 'ad', source_id: '12', source_url: 'https://fb.me/x', ctwa_clid: 'Aff' };
    const id = await write('16505551007', { type: 'text', text: { body: 'Hi' }, referral });
    expect(await heard(id)).toMatchObject({ channel_data: { referral: { ...referral, headline: null } } });
  });

  test('outside the window only templates are sent', async () => {
    const closed = await send({ to: '+16505551002', text: { body: 'Hello?' } });
    expect([closed.status, closed.body.code]).toEqual([422, 'window_closed']);
    const template = { name: 'hello', language: 'en', parameters: ['Ann'] };
    const sent = await send({ to: '+16505551002', type: 'template', template });
    expect(sent.status, JSON.stringify(sent.body)).toBe(202);
    await becomes(sent.body.id, { status: 'sent' });
    for (const wrong of [
      { ...template, name: 'nothing' },
      { ...template, parameters: [] },
    ]) {
      const { status } = await send({ to: '+16505551002', type: 'template', template: wrong });
      expect(status).toBe(422);
    }
  });

  test('forged and truncated requests are refused, and a repeated one is stored once', async () => {
    const id = newId();
    const text = { from: '16505551003', id, timestamp: seconds(), type: 'text', text: { body: 'Once' } };
    const value = { contacts: [], messages: [text] };
    const right = sign(JSON.stringify(toWebhook([toChange(METADATA, value)])), APP_SECRET);
    for (const signature of [null, '', right.slice(0, -1), sign('{}', APP_SECRET)])
      expect(await hook(value, undefined, signature)).toBe(401);
    for (const _ of [1, 2, 3]) expect(await hook(value)).toBe(200);
    await heard(id);
    const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
    expect(data.filter(({ text: content }: Body) => content?.body === 'Once')).toHaveLength(1);
  });

  test('a later status resolves what became of a message without an answer', async () => {
    await heard(await write('16505551004', { type: 'text', text: { body: 'Hi' } }));
    api.dropNext();
    const { body } = await send({ to: '+16505551004', text: { body: 'Lost?' } });
    await becomes(body.id, { status: 'failed', error: { code: 'delivery_unknown' } });
    const id = newId();
    expect(await report({ id, status: 'delivered', biz_opaque_callback_data: body.id })).toBe(200);
    await becomes(body.id, { status: 'delivered', external_id: id });
  });

  test('a message of the phone app is one of the account', async () => {
    const id = newId();
    const echo = { from: METADATA.display_phone_number, to: '16505551005', id, timestamp: seconds() };
    const message_echoes = [{ ...echo, type: 'text', text: { body: 'From my phone' } }];
    expect(await hook({ message_echoes }, 'smb_message_echoes')).toBe(200);
    expect(await heard(id)).toMatchObject({ direction: 'outbound', source: 'channel', to: '+16505551005' });
  });

  test('a restriction is shown, and a revoked token ends the instance with its reason', async () => {
    const restriction_info = [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }];
    const event = { field: 'account_update', value: { event: 'ACCOUNT_RESTRICTION', restriction_info } };
    expect(await postWebhook(callback, toWebhook([event]), APP_SECRET)).toBe(200);
    await inState('restricted');
    const ban_info = { waba_ban_state: 'REINSTATE' };
    const over = { field: 'account_update', value: { event: 'DISABLED_UPDATE', ban_info } };
    await postWebhook(callback, toWebhook([over]), APP_SECRET);
    await inState('connected');
    await heard(await write('16505551006', { type: 'text', text: { body: 'Hi' } }));
    api.revoke(TOKEN);
    await send({ to: '+16505551006', text: { body: 'Too late' } });
    const failed = await inState('failed');
    expect(JSON.stringify(failed)).toContain('token_expired');
    expect(JSON.stringify(failed)).not.toContain(TOKEN);
  });
});
