/**
 * Stands between the driver and Prism, which validates every request against Meta's description. What Prism can't do is
 * done here: tokens, new IDs, files, templates. It is not WhatsApp: nothing shows that Meta would deliver what it accepts.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of another party
export type Body = any;

/** A request that Prism accepted or refused. */
export interface RecordedRequest {
  method: string;
  /** Without the version. */
  path: string;
  query: URLSearchParams;
  /** Status of Prism's answer. */
  validated: number;
  body: Body;
  /** Number of the phone that sent it. */
  token: string;
}

export interface Account {
  phoneNumberId: string;
  businessAccountId: string;
  /** Digits. */
  number: string;
  token: string;
}

/** A group of the account. */
export interface Group {
  subject: string;
  description?: string;
  /** Digits. */
  participants: string[];
  /** Participants that WhatsApp lists without a number. */
  hidden?: number;
  inviteLink?: string;
  /** SHA-256 of its picture, hexadecimal. */
  picture?: string;
}

export interface GraphApi {
  /** With the version. */
  apiRoot: string;
  requests: RecordedRequest[];
  addAccount(account: Account): void;
  /** Its number is never answered. */
  addSlowAccount(account: Account): void;
  /** From now on the token is not valid any more. */
  revoke(token: string): void;
  /** The next requests to a path with this end are answered with an error of Meta. */
  failNext(pathEnd: string, status: number, error: object): void;
  /** The next message is accepted, but held for a quality assessment. */
  holdNext(): void;
  /** The connection of the next message breaks before it is answered. */
  dropNext(): void;
  /** A file of a user. @returns its ID */
  addFile(bytes: Buffer, mimeType: string, id?: string): string;
  /** SHA-256 of an uploaded file, hexadecimal. */
  uploaded(id: string): string | undefined;
  templates: object[];
  /** How WhatsApp writes numbers, where that is not how people do; and numbers by user ID. */
  waIds: Map<string, string>;
  /** By ID. Every account has them. */
  groups: Map<string, Group>;
  /** Called for each message that was accepted, with its ID and the account. */
  onMessage: (body: Body, id: string, account: Account) => void;
  stop(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
}

const HELLO = {
  id: '1',
  name: 'hello',
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
};

interface RawBody {
  body: Buffer;
  type: string;
}

/** The bytes of the part with a file in a multipart body. */
function filePart(body: Buffer, contentType: string): Buffer {
  const boundary = Buffer.from(`\r\n--${/boundary="?([^";]+)/.exec(contentType)![1]!}`);
  const whole = Buffer.concat([Buffer.from('\r\n'), body]);
  const head = whole.indexOf('name="file"');
  const start = whole.indexOf('\r\n\r\n', head) + 4;
  return whole.subarray(start, whole.indexOf(boundary, start));
}

/** The answer to an operation on a group. */
function answerGroup(
  groups: Map<string, Group>,
  { method, path, body }: RecordedRequest,
  raw: RawBody,
): Body {
  const [id, edge] = path.split('/').slice(1) as [string, string | undefined];
  const group = groups.get(id)!;
  if (edge === 'invite_link') {
    group.inviteLink = `https://chat.whatsapp.com/${randomBytes(8).toString('hex')}`;
    return { messaging_product: 'whatsapp', invite_link: group.inviteLink };
  }
  if (edge === 'participants') {
    const removed = body.participants.map(({ user }: Body) => user);
    group.participants = group.participants.filter((one) => !removed.includes(one));
  } else if (method === 'DELETE') groups.delete(id);
  else if (method === 'POST' && body === null)
    group.picture = createHash('sha256').update(filePart(raw.body, raw.type)).digest('hex');
  else if (method === 'POST') {
    const { messaging_product: _product, ...settings } = body;
    Object.assign(group, settings);
  } else {
    const { subject, description, participants, hidden = 0 } = group;
    return {
      id,
      subject,
      description,
      participants: [
        ...participants.map((wa_id) => ({ wa_id })),
        ...Array.from({ length: hidden }, () => ({})),
      ],
      total_participant_count: participants.length + hidden,
    };
  }
  return { success: true };
}

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** @param prism URL of Prism; null accepts every request without validating it */
export async function startGraphApi(prism: string | null): Promise<GraphApi> {
  const accounts = new Map<string, Account>();
  const slow = new Set<string>();
  const revoked = new Set<string>();
  const files = new Map<string, { bytes: Buffer; mimeType: string }>();
  const uploads = new Map<string, string>();
  const failures: { pathEnd: string; status: number; error: object }[] = [];
  let url = '';
  let holdsNext = false;
  let dropsNext = false;

  /** What Meta would know, over what Prism answered. */
  function complete(api: GraphApi, request: RecordedRequest, raw: RawBody): Body {
    const [node, edge] = request.path.split('/').slice(1) as [string, string | undefined];
    // Several numbers can have one token.
    const byToken = (): Account => [...accounts.values()].find(({ token }) => token === request.token)!;
    const account = accounts.get(node) ?? byToken();
    if (edge === 'groups') {
      const groups = [...api.groups].map(([groupId, { subject }]) => ({ id: groupId, subject }));
      const from = Number(request.query.get('after') ?? 0);
      const to = from + Number(request.query.get('limit'));
      return { data: { groups: groups.slice(from, to) }, paging: { cursors: { after: String(to) } } };
    }
    if (request.method === 'GET' && node === account.phoneNumberId)
      return { id: node, display_phone_number: `+${account.number}`, verified_name: 'Example Shop' };
    if (api.groups.has(node)) return answerGroup(api.groups, request, raw);
    if (request.method === 'GET' && files.has(node))
      return { id: node, url: `${url}/files/${node}`, mime_type: files.get(node)!.mimeType };
    const id = randomBytes(12).toString('hex');
    if (edge === 'media') {
      uploads.set(id, createHash('sha256').update(filePart(raw.body, raw.type)).digest('hex'));
      return { id };
    }
    if (edge === 'message_templates') return { data: api.templates };
    if (edge !== 'messages') return undefined;
    const wamid = `wamid.${id}`;
    api.onMessage(request.body, wamid, account);
    if (request.body.status === 'read') return { success: true };
    const held = holdsNext ? { message_status: 'held_for_quality_assessment' } : {};
    holdsNext = false;
    const { to, recipient } = request.body;
    const contact =
      recipient === undefined
        ? { input: to, wa_id: api.waIds.get(to) ?? to }
        : {
            input: recipient,
            user_id: recipient,
            ...(api.waIds.has(recipient) && { wa_id: api.waIds.get(recipient) }),
          };
    return { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: wamid, ...held }] };
  }

  async function validate(
    incoming: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; body: string }> {
    if (prism === null) return { status: 200, body: '{}' };
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = incoming.headers;
    const answer = await fetch(`${prism}${incoming.url}`, {
      method: incoming.method!,
      headers: { ...(headers as Record<string, string>), connection: 'close' },
      ...(body.length ? { body: new Uint8Array(body) } : {}),
    });
    return { status: answer.status, body: await answer.text() };
  }

  async function handle(api: GraphApi, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: Body): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const body = await buffer(incoming);
    const known = [...accounts.values()].some((account) => account.token === token);
    if (!known || revoked.has(token)) {
      const error = { message: 'Error validating access token', type: 'OAuthException', code: 190 };
      return answer(401, { error });
    }
    const [, file] = /^\/files\/(\w+)$/.exec(incoming.url!) ?? [];
    if (file) {
      const found = files.get(file)!;
      return void response.writeHead(200, { 'content-type': found.mimeType }).end(found.bytes);
    }
    const { pathname, searchParams } = new URL(incoming.url!, url);
    const path = pathname.replace('/v23.0', '');
    if (slow.has(path.split('/')[1]!)) return;
    if (dropsNext && path.endsWith('/messages')) {
      dropsNext = false;
      return void incoming.socket.destroy();
    }
    const failing = failures.findIndex(({ pathEnd }) => path.endsWith(pathEnd));
    if (failing >= 0) {
      const [{ status, error }] = failures.splice(failing, 1) as [(typeof failures)[number]];
      return answer(status, { error });
    }
    const verdict = await validate(incoming, body);
    const type = incoming.headers['content-type'] ?? '';
    const isJson = type.startsWith('application/json') && body.length > 0;
    const request: RecordedRequest = {
      method: incoming.method!,
      path,
      query: searchParams,
      validated: verdict.status,
      body: isJson ? JSON.parse(body.toString()) : null,
      token,
    };
    api.requests.push(request);
    if (verdict.status >= 300) return answer(verdict.status, JSON.parse(verdict.body));
    answer(200, complete(api, request, { body, type }) ?? JSON.parse(verdict.body));
  }

  const server = createServer((incoming, response) => {
    handle(api, incoming, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500).end(String(error));
    });
  });
  const port = await listen(server, 0);
  url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  const api: GraphApi = {
    apiRoot: `${url}/v23.0`,
    requests: [],
    templates: [HELLO],
    waIds: new Map(),
    groups: new Map(),
    addAccount: (account) => void accounts.set(account.phoneNumberId, account),
    addSlowAccount(account) {
      accounts.set(account.phoneNumberId, account);
      slow.add(account.phoneNumberId);
    },
    revoke: (token) => void revoked.add(token),
    failNext: (pathEnd, status, error) => void failures.push({ pathEnd, status, error }),
    holdNext: () => void (holdsNext = true),
    dropNext: () => void (dropsNext = true),
    addFile(bytes, mimeType, id = randomBytes(8).toString('hex')) {
      files.set(id, { bytes, mimeType });
      return id;
    },
    uploaded: (id) => uploads.get(id),
    onMessage: () => undefined,
    stop,
    pause: stop,
    resume: async () => void (await listen(server, port)),
  };
  return api;
}
