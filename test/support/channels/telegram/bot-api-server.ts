/**
 * An emulator of the Bot API, for tests: bots, updates by polling and webhook, files. It shares no code with the driver.
 * It rejects each request that the published description of the API does not allow.
 */
import { createHash, randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { checkRequest, FILE, readDescription, readFormField } from './description.ts';

export interface BotCall {
  method: string;
  params: Record<string, unknown>;
  /** SHA-256 of the uploaded file, hexadecimal. */
  file: string | null;
  /** Number of the message that it made. */
  messageId: number | null;
  at: number;
}

interface Answer {
  status: number;
  body: unknown;
}
type Update = Record<string, unknown>;

export interface TestBot {
  id: number;
  token: string;
  calls: BotCall[];
  /** Queues an update. @returns its ID */
  push(update: Update): number;
  /** Returns the number of the next message of a chat, and takes it. */
  nextMessage(chat: number): number;
  /** Answers the next calls of a method so. */
  answerWith(method: string, ...answers: Answer[]): void;
  /** Updates that are not confirmed. */
  pending(): number;
  webhook: { url: string; secret: string } | null;
}

export interface BotApiServer {
  url: string;
  port: number;
  addBot(): TestBot;
  addFile(bytes: Buffer): string;
  /** Requests that the description does not allow. */
  violations: string[];
  /** Methods that were called, and allowed by the description. */
  validated: Set<string>;
  /** Version of the description. */
  version: string;
  cut(bot: TestBot): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface State extends TestBot {
  updates: { id: number; update: Update }[];
  nextUpdate: number;
  numbers: Map<number, number>;
  answers: Map<string, Answer[]>;
  poll: { respond(): void; fail(): void } | null;
  sockets: Set<Socket>;
  lastError: { at: number; message: string } | null;
}

const ok = (result: unknown): Answer => ({ status: 200, body: { ok: true, result } });
export const failure = (status: number, description: string, parameters?: object): Answer => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
});

const SENDS = /^send(?!ChatAction)/;

export async function startBotApiServer(): Promise<BotApiServer> {
  const description = readDescription();
  const bots = new Map<string, State>();
  const files = new Map<string, Buffer>();
  const violations: string[] = [];
  const validated = new Set<string>();
  const sockets = new Set<Socket>();

  const deliver = async (bot: State): Promise<void> => {
    const { webhook } = bot;
    const [next] = bot.updates;
    if (!webhook || !next) return;
    const response = await fetch(webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': webhook.secret },
      body: JSON.stringify(next.update),
    }).catch((error: unknown) => error as Error);
    if (response instanceof Error || !response.ok) {
      bot.lastError = { at: Math.floor(Date.now() / 1000), message: 'Wrong response from the webhook' };
      setTimeout(() => void deliver(bot), 200).unref();
      return;
    }
    bot.updates = bot.updates.filter((one) => one !== next);
    await deliver(bot);
  };

  const getUpdates = async (
    bot: State,
    params: Record<string, unknown>,
    request: IncomingMessage,
  ): Promise<Answer> => {
    if (bot.webhook) return failure(409, "Conflict: can't use getUpdates method while webhook is active");
    const {
      offset,
      timeout = 0,
      limit = 100,
    } = params as { offset?: number; timeout?: number; limit?: number };
    bot.poll?.fail();
    if (offset !== undefined) bot.updates = bot.updates.filter(({ id }) => id >= offset);
    const take = (): Answer => ok(bot.updates.slice(0, limit).map(({ update }) => update));
    if (bot.updates.length || timeout === 0) return take();
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        clearTimeout(timer);
        request.socket.off('close', onClose);
        bot.poll = null;
        resolve(answer);
      };
      const onClose = (): void => bot.poll?.respond();
      const timer = setTimeout(() => end(take()), timeout * 1000);
      bot.poll = {
        respond: () => end(take()),
        fail: () => end(failure(409, 'Conflict: terminated by other getUpdates request')),
      };
      request.socket.once('close', onClose);
    });
  };

  const getChat = (id: number) =>
    id > 0
      ? { id, type: 'private', first_name: `User ${id}` }
      : { id, type: 'supergroup', title: `Group ${id}`, description: 'About it' };

  const answer = async (bot: State, call: BotCall, request: IncomingMessage): Promise<Answer> => {
    const { method, params } = call;
    const self = { id: bot.id, is_bot: true, first_name: `Bot ${bot.id}`, username: `bot_${bot.id}` };
    const chat = typeof params['chat_id'] === 'number' ? getChat(params['chat_id']) : null;
    if (SENDS.test(method) && chat) {
      call.messageId = bot.nextMessage(chat.id);
      return ok({ message_id: call.messageId, date: Math.floor(Date.now() / 1000), chat, from: self });
    }
    switch (method) {
      case 'getMe':
        return ok(self);
      case 'getUpdates':
        return getUpdates(bot, params, request);
      case 'setWebhook':
        bot.webhook = { url: params['url'] as string, secret: (params['secret_token'] ?? '') as string };
        bot.poll?.fail();
        setImmediate(() => void deliver(bot));
        return ok(true);
      case 'deleteWebhook':
        bot.webhook = null;
        if (params['drop_pending_updates'] === true) bot.updates = [];
        return ok(true);
      case 'getWebhookInfo':
        return ok({
          url: bot.webhook?.url ?? '',
          has_custom_certificate: false,
          pending_update_count: bot.updates.length,
          ...(bot.lastError
            ? { last_error_date: bot.lastError.at, last_error_message: bot.lastError.message }
            : {}),
        });
      case 'getFile': {
        const id = String(params['file_id']);
        return files.has(id)
          ? ok({ file_id: id, file_path: `documents/${id}` })
          : failure(400, 'Bad Request: wrong file_id');
      }
      case 'getChat':
        return ok({ ...chat, permissions: { can_send_messages: true }, invite_link: 'https://t.me/+abc' });
      case 'getChatAdministrators':
        return ok([{ status: 'administrator', user: self }]);
      case 'exportChatInviteLink':
        return ok('https://t.me/+def');
      case 'editMessageText':
      case 'editMessageCaption':
        return ok({ message_id: params['message_id'], chat, date: 1 });
      default:
        return ok(true);
    }
  };

  const readParams = async (method: string, request: IncomingMessage) => {
    const body = await buffer(request);
    const type = request.headers['content-type'] ?? '';
    if (!type.startsWith('multipart/'))
      return {
        params: (body.length ? JSON.parse(body.toString()) : {}) as Record<string, unknown>,
        file: null,
      };
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    const params: Record<string, unknown> = {};
    let file: string | null = null;
    for (const [name, value] of form)
      if (typeof value === 'string') params[name] = readFormField(description, method, name, value);
      else {
        params[name] = FILE;
        file = createHash('sha256')
          .update(Buffer.from(await value.arrayBuffer()))
          .digest('hex');
      }
    return { params, file };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const respond = ({ status, body }: Answer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const [, isFile, token = '', rest = ''] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    const bot = bots.get(token);
    if (!bot) return respond(failure(401, 'Unauthorized'));
    bot.sockets.add(request.socket);
    if (isFile) {
      const bytes = files.get(rest.replace('documents/', ''));
      if (!bytes) return respond(failure(404, 'Not Found'));
      response.end(bytes);
      return;
    }
    const { params, file } = await readParams(rest, request);
    const fault = checkRequest(description, rest, params);
    if (fault) violations.push(`${rest}: ${fault}`);
    else validated.add(rest);
    const call: BotCall = { method: rest, params, file, messageId: null, at: Date.now() };
    bot.calls.push(call);
    const planned = bot.answers.get(rest)?.shift();
    respond(planned ?? (fault ? failure(400, `Bad Request: ${fault}`) : await answer(bot, call, request)));
  };

  let server: http.Server;
  const listen = async (port: number): Promise<void> => {
    server = http.createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  };
  await listen(0);
  const { port } = server!.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    for (const bot of bots.values()) bot.poll?.respond();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };

  let nextBot = 700_000_000;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    violations,
    validated,
    version: description.version,
    addBot() {
      const id = (nextBot += 1);
      const state: State = {
        id,
        token: `${id}:${randomBytes(24).toString('base64url')}`,
        calls: [],
        updates: [],
        nextUpdate: 1000,
        numbers: new Map(),
        answers: new Map(),
        poll: null,
        sockets: new Set(),
        webhook: null,
        lastError: null,
        push(update) {
          const updateId = (state.nextUpdate += 1);
          state.updates.push({ id: updateId, update: { update_id: updateId, ...update } });
          state.poll?.respond();
          if (state.webhook && state.updates.length === 1) void deliver(state);
          return updateId;
        },
        nextMessage(chat) {
          const number = (state.numbers.get(chat) ?? 0) + 1;
          state.numbers.set(chat, number);
          return number;
        },
        answerWith: (method, ...answers) =>
          void state.answers.set(method, [...(state.answers.get(method) ?? []), ...answers]),
        pending: () => state.updates.length,
      };
      bots.set(state.token, state);
      return state;
    },
    addFile(bytes) {
      const id = randomBytes(12).toString('hex');
      files.set(id, bytes);
      return id;
    },
    cut(bot) {
      for (const socket of (bot as State).sockets) socket.destroy();
    },
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  };
}
