/** Email through the REST API, against Dovecot and Postfix; at the other end is a mail program of its own. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { mailClient, type MailClient } from '../support/channels/email/mail-client.ts';
import { REFUSED } from '../support/channels/email/mail-server-configs.ts';
import {
  accountAt,
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  type MailUser,
  startMailServers,
} from '../support/channels/email/mail-servers.ts';
import { upload } from '../support/messaging/media.ts';
import { needs } from '../support/needs.ts';
import { type Answer, startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Body = any;

describe('email through the API', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  const authorities = getCACertificates('default');
  let app: TestApp;
  let key: string;
  let servers: MailServers;
  let user: MailUser;
  let peer: MailUser;
  let client: MailClient;
  let instance: Body;

  const call = (path: string, body?: unknown, method?: string): Promise<Answer> =>
    app.call(path, { key, body, method });
  const get = async (path: string): Promise<Body> => {
    const { status, body } = await call(path);
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  const post = async (path: string, given?: unknown, method = 'POST'): Promise<Body> => {
    const { status, body } = await call(path, given, method);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  };
  const getAccount = (of: MailUser, password = of.password) => {
    const { settings, credentials } = accountAt(servers, { ...of, password });
    return { settings: { ...settings, poll_seconds: 1 }, credentials };
  };
  const connect = async (of: MailUser, password?: string): Promise<Body> => {
    const made = await post('/instances', {
      name: of.address,
      channel: 'email',
      ...getAccount(of, password),
    });
    await post(`/instances/${made.id}/connect`);
    return made;
  };
  const inState = (id: string, state: string): Promise<Body> =>
    vi.waitFor(async () => {
      const found = await get(`/instances/${id}`);
      expect(found).toMatchObject({ state });
      return found;
    }, PATIENCE);
  const send = (message: object): Promise<Body> =>
    post('/messages', { instance_id: instance.id, type: 'text', ...message });
  const becomes = (id: string, expected: object): Promise<Body> =>
    vi.waitFor(async () => {
      const found = await get(`/messages/${id}`);
      expect(found).toMatchObject(expected);
      return found;
    }, PATIENCE);
  /** The message under which a mail is known, once it is. */
  const heard = (externalId: string): Promise<Body> =>
    vi.waitFor(async () => {
      const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
      const found = data.find((each: Body) => each.external_id === externalId);
      expect(found, externalId).toBeDefined();
      return found;
    }, PATIENCE);

  beforeAll(async () => {
    servers = await startMailServers();
    setDefaultCACertificates([...authorities, servers.ca]);
    app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
    ({ key } = await startWorkspace(app));
    user = await servers.addUser('support');
    peer = await servers.addUser('customer');
    client = mailClient(servers, peer);
    instance = await connect(user);
    await inState(instance.id, 'connected');
  });
  afterAll(async () => {
    await app?.stop();
    setDefaultCACertificates(authorities);
    await servers?.stop();
  });

  test('credentials are checked before an account is made, and a wrong password ends a connection', async () => {
    const check = (password?: string) => post('/channels/email/check', getAccount(user, password));
    expect(await check()).toMatchObject({ ok: true, address: user.address });
    expect(await check('wrong')).toMatchObject({ ok: false, error: { code: 'authentication_failed' } });
    const wrong = await connect(await servers.addUser('wrong'), 'wrong');
    const failed = await inState(wrong.id, 'failed');
    expect(failed.last_error).toMatchObject({ code: 'authentication_failed' });
    expect(JSON.stringify(failed)).not.toContain(user.password);
  });

  test('a message is sent, answered in its thread, and answered again', async () => {
    const sent = await send({
      to: peer.address.toUpperCase(),
      subject: 'Bestellung 灯台',
      text: { body: 'Guten Tag\n\nIhr Löwe' },
    });
    expect(sent).toMatchObject({ status: 'queued', to: peer.address });
    const { external_id: root } = await becomes(sent.id, { status: 'sent', from: user.address });
    expect(root).toBe(`${sent.id}@${servers.domain}`);
    const mail = await client.sees(({ messageId }) => messageId === `<${root}>`);
    expect(mail).toMatchObject({ subject: 'Bestellung 灯台', text: 'Guten Tag\n\nIhr Löwe\n' });

    const reply = await client.send({
      from: { name: 'Kündin 灯', address: peer.address },
      to: user.address,
      subject: 'Re: Bestellung 灯台',
      html: '<p>Vielen <b>Dank</b></p><script>x</script>',
      inReplyTo: mail.messageId,
      references: mail.messageId,
    });
    const answer = await heard(reply);
    expect(answer).toMatchObject({
      direction: 'inbound',
      source: 'channel',
      status: 'received',
      from: peer.address,
      to: user.address,
      text: { body: 'Vielen Dank' },
      subject: 'Re: Bestellung 灯台',
      reply_to: sent.id,
      chat: { id: sent.chat.id },
    });
    const chat = await get(`/chats/${sent.chat.id}`);
    expect(chat).toMatchObject({ title: 'Bestellung 灯台', unread: 1 });
    const again = await send({ chat_id: chat.id, reply_to: answer.id, text: { body: 'Gern' } });
    const { external_id: last } = await becomes(again.id, { status: 'sent' });
    const seen = await client.sees(({ messageId }) => messageId === `<${last}>`);
    expect(seen).toMatchObject({ subject: 'Re: Bestellung 灯台', inReplyTo: `<${reply}>` });
    expect(seen.references).toEqual([`<${root}>`, `<${reply}>`]);

    await post(`/messages/${answer.id}/read`);
    const mailbox = mailClient(servers, user);
    await vi.waitFor(async () => expect(await mailbox.flags(reply)).toContain('\\Seen'), PATIENCE);
  });

  test('files go out and come in as they are', async () => {
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) % 256));
    const file = { bytes: content, name: 'Übersicht 灯台.bin', type: 'application/octet-stream' };
    const { status, body: media } = await upload(app, { key }, file);
    expect(status, JSON.stringify(media)).toBe(201);
    const sent = await send({
      to: peer.address,
      type: 'document',
      document: { media_id: media.id, caption: 'anbei' },
    });
    const { external_id: id } = await becomes(sent.id, { status: 'sent' });
    const mail = await client.sees(({ messageId }) => messageId === `<${id}>`);
    expect(mail.attachments.map(({ filename }) => filename)).toEqual(['Übersicht 灯台.bin']);
    expect(mail.attachments[0]!.content.equals(content)).toBe(true);

    const back = await client.send({
      to: user.address,
      text: 'zwei Dateien',
      attachments: [
        {
          filename: 'größer.pdf',
          content: Buffer.concat([Buffer.from('%PDF-1.4\n'), content]),
          contentType: 'application/pdf',
        },
        { filename: '表.csv', content: 'a;b\n', contentType: 'text/csv' },
      ],
    });
    const first = await heard(back);
    const second = await heard(`${back}/2`);
    expect(first).toMatchObject({
      type: 'document',
      document: { caption: 'zwei Dateien', file_name: 'größer.pdf' },
    });
    expect(second).toMatchObject({ type: 'document', document: { caption: null, file_name: '表.csv' } });
    const kept = await get(`/media/${second.document.media_id}`);
    expect(kept).toMatchObject({ state: 'ready', size: 4 });
    const { pathname, search } = new URL(kept.url);
    expect(await (await fetch(app.base + pathname + search)).text()).toBe('a;b\n');
  });

  test('a bounce fails its message; a refusal fails it at once', async () => {
    const nobody = await send({ to: `nobody@${servers.domain}`, text: { body: 'x' } });
    const bounced = await becomes(nobody.id, { status: 'failed', error: { code: 'recipient_unknown' } });
    expect(bounced.status_history.map(({ status }: Body) => status)).toEqual([
      'queued',
      'sending',
      'sent',
      'failed',
    ]);
    expect(bounced.error.detail).toContain("User doesn't exist");
    const refused = await send({ to: REFUSED, text: { body: 'x' } });
    const { status_history: history } = await becomes(refused.id, {
      status: 'failed',
      error: { code: 'recipient_unknown' },
    });
    expect(history.map(({ status }: Body) => status)).toEqual(['queued', 'sending', 'failed']);
    expect(
      (
        await call('/messages', {
          instance_id: instance.id,
          to: 'not an address',
          type: 'text',
          text: { body: 'x' },
        })
      ).status,
    ).toBe(422);
  });

  test('what the account wrote elsewhere is its own', async () => {
    const elsewhere = mailClient(servers, user);
    await elsewhere.append(
      'Sent',
      `Message-ID: <phone@here.test>\r\nFrom: ${user.address}\r\nTo: ${peer.address}\r\nSubject: S\r\n\r\nby phone`,
    );
    expect(await heard('phone@here.test')).toMatchObject({
      direction: 'outbound',
      source: 'channel',
      from: user.address,
      to: peer.address,
      text: { body: 'by phone' },
    });
  });

  test('who writes the account as From is not believed; what the account sends to itself is not shown twice', async () => {
    const forge = (id: string) =>
      client.send({ from: user.address, to: user.address, text: 'forged', messageId: `<${id}>` });
    for (const id of ['forged@mail.test', `msg_${'7'.repeat(26)}@${servers.domain}`]) {
      await forge(id);
      expect(await heard(id)).toMatchObject({ direction: 'inbound', status: 'received', from: user.address });
    }
    const note = await send({ to: user.address, subject: 'Note', text: { body: 'to myself' } });
    const { external_id: id } = await becomes(note.id, { status: 'sent' });
    await mailClient(servers, user).sees(({ messageId }) => messageId === `<${id}>`);
    await heard(await client.send({ to: user.address, text: 'after the note' }));
    const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
    expect(data.filter((each: Body) => each.external_id === id)).toMatchObject([{ id: note.id }]);
  });

  test('a mail server that stops is waited for, and nothing is lost or doubled', async () => {
    await servers.killServers();
    await inState(instance.id, 'reconnecting');
    const waiting = await send({ to: peer.address, text: { body: 'while it was away' } });
    expect(waiting.status).toBe('queued');
    await servers.startServers();
    const incoming = await client.send({ to: user.address, text: 'after the start' });
    await heard(incoming);
    await inState(instance.id, 'connected');
    await becomes(waiting.id, { status: 'sent' });
    await client.sees(({ text }) => text?.trim() === 'while it was away');
    const mails = await client.read();
    expect(mails.filter(({ text }) => text?.trim() === 'while it was away')).toHaveLength(1);
    const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
    expect(data.filter((each: Body) => each.external_id === incoming)).toHaveLength(1);
  });
});
