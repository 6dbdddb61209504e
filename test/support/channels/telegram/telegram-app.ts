/** A Telegram bot of an instance, from updates to the REST API, with an emulator of the Bot API. */
import { expect, vi } from 'vitest';
import { PATIENCE } from '../../patience.ts';
import { type Answer, startTestApp, startWorkspace } from '../../test-app.ts';
import { startBotApiServer } from './bot-api-server.ts';

type Body = Answer['body'];

export async function startTelegramApp() {
  const stack = new AsyncDisposableStack();
  const server = await startBotApiServer();
  stack.use(server);
  const bot = server.addBot();
  const app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  stack.defer(() => app.stop());
  const { key } = await startWorkspace(app);
  const call = (path: string, body?: unknown, method?: string): Promise<Answer> =>
    app.call(path, { key, body, method });
  const get = async (path: string): Promise<Body> => {
    const { status, body } = await call(path);
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);
  const settings = { api_root: server.url, receive: 'polling' };
  const made = await call(
    '/instances',
    { name: 'Bot', channel: 'telegram', settings, credentials: { token: bot.token } },
    'POST',
  );
  const instance: Body = made.body;
  await call(`/instances/${instance.id}/connect`, undefined, 'POST');
  await eventually(async () =>
    expect(await get(`/instances/${instance.id}`)).toMatchObject({ state: 'connected' }),
  );

  /** Returns the message with this number of a chat, once `expected` matches. */
  const becomes = (chat: number, number: number, expected: object = {}): Promise<Body> =>
    eventually(async () => {
      const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
      const found = data.find((each: Body) => each.external_id === `${chat}/${number}`);
      expect(found, `${chat}/${number}`).toBeDefined();
      expect(found).toMatchObject(expected);
      return found;
    });
  /** Sends a text. @returns the parameters with which the bot called Telegram */
  async function send(more: object): Promise<Record<string, unknown>> {
    const body = { instance_id: instance.id, type: 'text', text: { body: 'Yes' }, ...more };
    const answer = await call('/messages', body, 'POST');
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    const sent = await eventually(async () => {
      const found = await get(`/messages/${answer.body.id}`);
      expect(found).toMatchObject({ status: 'sent', error: null });
      return found;
    });
    const number = Number(sent.external_id.split('/')[1]);
    return bot.calls.find(
      ({ messageId, params }) =>
        messageId === number && sent.external_id.startsWith(`${String(params['chat_id'])}/`),
    )!.params;
  }
  const download = async (mediaId: string): Promise<string> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${app.base}/api/v1/media/${mediaId}/content`, { headers })).text();
  };
  return {
    download,
    app,
    server,
    bot,
    instance,
    call,
    get,
    eventually,
    becomes,
    send,
    stop: () => stack.disposeAsync(),
  };
}
