/** A WhatsApp number of an instance, from signed webhooks to the REST API, with a Graph API that accepts everything. */
import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import { PATIENCE } from '../../patience.ts';
import { type Answer, startTestApp, startWorkspace } from '../../test-app.ts';
import { type Body, startGraphApi } from './graph-api.ts';
import { postWebhook, toChange, toWebhook } from './webhooks.ts';

const APP_SECRET = '0123456789abcdef0123456789abcdef';
const METADATA = { display_phone_number: '16505551111', phone_number_id: '106540352242922' };
const TOKEN = 'EAAtoken-of-the-test';

export const seconds = (): string => String(Math.floor(Date.now() / 1000));

export async function startWhatsappApp() {
  const stack = new AsyncDisposableStack();
  const api = await startGraphApi(null);
  stack.defer(() => api.stop());
  const { phone_number_id: phoneNumberId, display_phone_number: number } = METADATA;
  api.addAccount({ phoneNumberId, businessAccountId: '102290129340398', number, token: TOKEN });
  const app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  stack.defer(() => app.stop());
  const { key } = await startWorkspace(app);
  const call = (path: string, body?: unknown, method?: string): Promise<Answer> =>
    app.call(path, { key, body, method });
  const made = await call(
    '/instances',
    {
      name: 'Shop',
      channel: 'whatsapp',
      settings: {
        phone_number_id: phoneNumberId,
        business_account_id: '102290129340398',
        api_root: api.apiRoot,
      },
      credentials: { access_token: TOKEN, app_secret: APP_SECRET, verify_token: 'fairlead-test' },
    },
    'POST',
  );
  const instance: Body = made.body;
  const callback = `${app.base}${new URL(instance.ingress_url).pathname}`;
  await call(`/instances/${instance.id}/connect`, undefined, 'POST');

  let last = 0;
  /** A number and a user ID of somebody new. */
  const newPerson = () => {
    const nth = String((last += 1)).padStart(4, '0');
    const phone = `1650666${nth}`;
    return {
      phone,
      address: `+${phone}`,
      userId: `US.1349120865530${nth}`,
      parentId: `US.ENT.1181579${nth}`,
    };
  };

  const get = async (path: string): Promise<Body> => {
    const { status, body } = await call(path);
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);
  const send = async (to: string, more: object = {}): Promise<Body> => {
    const body = { instance_id: instance.id, to, type: 'text', text: { body: 'Yes' }, ...more };
    const answer = await call('/messages', body, 'POST');
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return answer.body;
  };
  const becomes = (id: string, status: string): Promise<Body> =>
    eventually(async () => {
      const found = await get(`/messages/${id}`);
      expect(found).toMatchObject({ status });
      return found;
    });
  const hook = async (value: Body, field?: string): Promise<void> =>
    expect(await postWebhook(callback, toWebhook([toChange(METADATA, value, field)]), APP_SECRET)).toBe(200);
  const heard = (externalId: string): Promise<Body> =>
    eventually(async () => {
      const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
      const found = data.find((each: Body) => each.external_id === externalId);
      expect(found, externalId).toBeDefined();
      return found;
    });
  /** Somebody writes. @param from fields that name the writer. @returns the message */
  async function write(from: Body, contact: Body, content: Body = {}): Promise<Body> {
    const id = `wamid.${randomBytes(10).toString('hex')}`;
    await hook({
      contacts: [contact],
      messages: [{ id, timestamp: seconds(), type: 'text', text: { body: 'hi' }, ...from, ...content }],
    });
    return heard(id);
  }
  const getContact = (id: string): Promise<Body> => get(`/contacts/${id}`);
  const getAddresses = async (id: string): Promise<string[]> =>
    (await getContact(id)).identities.map(({ address }: Body) => address);
  const findContacts = async (address: string): Promise<Body[]> =>
    (await get(`/contacts?address=${encodeURIComponent(address)}`)).data;
  /** The body of the request that sent a message. */
  const getRequest = (id: string): Body =>
    api.requests.find(({ body }) => body?.biz_opaque_callback_data === id)!.body;

  /** News of WhatsApp about somebody. @returns the message */
  async function tell(system: Body, from: Body = {}): Promise<Body> {
    const id = `wamid.${randomBytes(10).toString('hex')}`;
    await hook({ messages: [{ id, timestamp: seconds(), type: 'system', system, ...from }] });
    return heard(id);
  }

  await eventually(async () =>
    expect(await get(`/instances/${instance.id}`)).toMatchObject({ state: 'connected' }),
  );
  return {
    app,
    api,
    instance,
    number: METADATA.display_phone_number,
    newPerson,
    call,
    get,
    eventually,
    send,
    becomes,
    hook,
    heard,
    write,
    tell,
    getContact,
    getAddresses,
    findContacts,
    getRequest,
    stop: () => stack.disposeAsync(),
  };
}
