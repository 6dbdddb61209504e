/** Mails as real senders write them, read from Dovecot and through every read of the API: their text, names and files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { mailClient, type MailClient } from '../support/channels/email/mail-client.ts';
import { makeCorpus } from '../support/channels/email/mail-corpus.ts';
import { HAS_MAIL_SAMPLES, MAIL_SAMPLES, readMailSamples } from '../support/channels/email/mail-samples.ts';
import {
  accountAt,
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  startMailServers,
} from '../support/channels/email/mail-servers.ts';
import { needs } from '../support/needs.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Body = any;

const CASES = join(import.meta.dirname, '../support/channels/email/cases');
const readCase = (name: string): Buffer => readFileSync(join(CASES, name));

describe('mails of all kinds', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  const authorities = getCACertificates('default');
  let app: TestApp;
  let key: string;
  let servers: MailServers;

  const get = async (path: string): Promise<Body> => {
    const { status, body } = await app.call(path, { key });
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  const post = async (path: string, given?: unknown): Promise<Body> => {
    const { status, body } = await app.call(path, { key, body: given, method: 'POST' });
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  };
  /** An account into whose folder mails can be put. */
  const connect = async (name: string): Promise<{ id: string; client: MailClient }> => {
    const user = await servers.addUser(name);
    const { settings, credentials } = accountAt(servers, user);
    const { id } = await post('/instances', {
      name,
      channel: 'email',
      settings: { ...settings, poll_seconds: 1, history_days: 30 },
      credentials,
    });
    await post(`/instances/${id}/connect`);
    return { id, client: mailClient(servers, user) };
  };
  /** All messages of an instance, over all pages. */
  const listAll = async (instance: string): Promise<Body[]> => {
    const all: Body[] = [];
    for (let cursor = ''; ;) {
      const page = await get(`/messages?instance_id=${instance}&limit=100${cursor}`);
      all.push(...page.data);
      if (!page.has_more) return all;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  };
  /** The same, once the one with this external ID is there. It is waited for as long as others come. */
  const readAll = async (instance: string, last: string): Promise<Body[]> => {
    for (let known = 0; ;) {
      const all = await vi.waitFor(async () => {
        const found = await listAll(instance);
        expect(found.length, `messages until ${last}`).toBeGreaterThan(known);
        return found;
      }, PATIENCE);
      if (all.some((each) => each.external_id === last)) return all;
      known = all.length;
    }
  };
  const getText = (message: Body): string => message.text?.body ?? message[message.type]?.caption ?? '';
  const end = (id: string): string =>
    `Message-ID: <${id}>\r\nFrom: end@x.test\r\nTo: support@x.test\r\n\r\nThe end.`;
  /** Each message by every read that shows it. */
  const readEach = async (messages: Body[]): Promise<void> => {
    for (const [index, message] of messages.entries()) {
      expect(await get(`/messages/${message.id}`)).toMatchObject({ id: message.id, type: message.type });
      if (index % 8 > 0) continue; // each of these changes something, and takes its time
      await get(`/chats/${message.chat.id}/messages`);
      await post(`/messages/${message.id}/read`);
    }
    await get('/contacts?limit=100');
    await get('/chats?limit=100');
    await get('/events?limit=100');
  };

  beforeAll(async () => {
    servers = await startMailServers();
    setDefaultCACertificates([...authorities, servers.ca]);
    app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
    ({ key } = await startWorkspace(app));
  });
  afterAll(async () => {
    await app?.stop();
    setDefaultCACertificates(authorities);
    await servers?.stop();
  });

  test('inputs that failed are read as their writers meant them', async () => {
    const { id: instance, client } = await connect('cases');
    const sent = await post('/messages', {
      instance_id: instance,
      to: `postmaster@${servers.domain}`,
      type: 'text',
      text: { body: 'Is anybody there?' },
    });
    const { external_id: ours } = await vi.waitFor(async () => {
      const found = await get(`/messages/${sent.id}`);
      expect(found.status).toBe('sent');
      return found;
    }, PATIENCE);
    for (const name of readdirSync(CASES).toSorted()) {
      const source = readCase(name).toString('latin1');
      await client.append(
        'INBOX',
        Buffer.from(source.replaceAll('REPLACE-WITH-OUR-MESSAGE-ID', ours), 'latin1'),
      );
    }
    await client.append('INBOX', end('end@cases.test'));
    const messages = await readAll(instance, 'end@cases.test');
    await readEach(messages.filter(({ direction }) => direction === 'inbound'));
    const byId = new Map(messages.map((message) => [message.external_id, message]));
    const text = (number: number): string => getText(byId.get(`e${number}@x.test`));

    for (const number of [1, 2]) expect(text(number), `${number}`).toBe('');
    expect(text(3)).not.toBe('');
    const fonts = text(4).split('\n');
    expect(fonts).toEqual(Array.from({ length: fonts.length }, (_, index) => `line ${index + 1}`));
    expect(fonts.length).toBe(readCase('04-unclosed-fonts.eml').toString().match(/line/g)!.length);
    expect(text(5)).toBe('The patch is wrong in line 12.\n\n_____\ndevel mailing list');
    expect(text(6)).toBe('First part.\n\nSecond part.');
    expect(text(7)).toBe('Item\tQty\tPrice\nRope 12 mm\t2\t40.00\nTotal\t\t80.00');
    expect([8, 9, 10].map((number) => byId.get(`e${number}@x.test`).from)).toEqual([
      '2.76502047696709.12093847561209384756120938475612093847561209384756120938475612093847561209384756@mail.tasks.test',
      '"jane doe"@x.test',
      'root@[192.0.2.7]',
    ]);
    const contacts = [8, 9, 10].map((number) => byId.get(`e${number}@x.test`).chat.id);
    expect(new Set(contacts).size).toBe(3);
    const answered = byId.get('e11@x.test');
    const chat = await get(`/chats/${answered.chat.id}`);
    expect(JSON.stringify(chat)).toContain(
      'reply+a1b2c3d4e5a1b2c3d4e5a1b2c3d4e5a1b2c3d4e5a1b2c3d4e5a1b2c3d4e5a1b2c3d4e5a1b2c3d4e5@mg1.news.test',
    );
    const answer = await post('/messages', {
      instance_id: instance,
      chat_id: answered.chat.id,
      type: 'text',
      text: { body: 'Thank you' },
    });
    expect(answer.to).toMatch(/^reply\+a1b2.*@mg1\.news\.test$/);
    expect(text(12)).toBe('It’s 12 € – ok');
    expect(text(13)).toBe('これはテストです');
    expect(text(14)).toBe('Grüße aus Köln – 5 €');
    expect(text(15)).toBe('Привет');
    expect(byId.get('e16@x.test')).toMatchObject({
      type: 'text',
      text: { body: 'The body of this mail has a name.' },
    });
    expect(byId.get('e17@x.test')).toMatchObject({ type: 'text', text: { body: 'Plain body.' } });
    expect(await get(`/messages/${sent.id}`)).toMatchObject({
      status: 'failed',
      error: { code: 'recipient_unknown' },
    });
    expect(text(19)).toBe('> quoted text that goes on\nMy answer.');
    expect(byId.get('e20@x.test')).toMatchObject({
      type: 'document',
      document: { caption: 'Meeting at noon.', file_name: 'invite.ics' },
    });
  });

  test('are kept as they came, for as long as their messages', async () => {
    const { id: instance, client } = await connect('source');
    const source = Buffer.concat([
      Buffer.from(end('kept@source.test')),
      Buffer.from([0xff, 0xfe, 0x0d, 0x0a]),
    ]);
    await client.append('INBOX', source);
    const [message] = await readAll(instance, 'kept@source.test');
    const media = await get(`/messages/${message.id}/source`);
    expect(media).toMatchObject({ mime_type: 'message/rfc822', file_name: 'message.eml' });
    const { pathname, search } = new URL(media.url);
    const kept = Buffer.from(await (await fetch(app.base + pathname + search)).arrayBuffer());
    expect(kept.includes(Buffer.from('From: end@x.test\r\n')), kept.toString()).toBe(true);
    expect(kept.subarray(-4)).toEqual(source.subarray(-4));
    const erased = await app.call(`/contacts/${message.contact_id}`, { key, method: 'DELETE' });
    expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300);
    await vi.waitFor(async () => {
      expect(await app.call(`/media/${media.id}`, { key })).toHaveStatus(404);
    }, PATIENCE);
    expect(await app.call(`/messages/${message.id}/source`, { key })).toHaveStatus(404);
  });

  test('of every structure, charset and encoding are read, and every read of them answers', async () => {
    const corpus = makeCorpus();
    expect(corpus.length).toBeGreaterThanOrEqual(300);
    const { id: instance, client } = await connect('corpus');
    await client.appendAll('INBOX', [
      ...corpus.map(({ source }) => source),
      Buffer.from(end('end@corpus.test')),
    ]);
    const messages = await readAll(instance, 'end@corpus.test');
    const byId = new Map(messages.map((message) => [message.external_id, message]));
    for (const { id, about, texts, absent, files, name } of corpus) {
      const message = byId.get(id);
      const text = getText(message);
      const places = texts.map((each) => text.indexOf(each));
      expect(places, `${about}: ${JSON.stringify(text)}`).not.toContain(-1);
      expect(places, about).toEqual(places.toSorted((one, other) => one - other));
      for (const each of absent) expect(text, about).not.toContain(each);
      expect(message.subject, about).toBe(name);
      const names = [message, byId.get(`${id}/2`)].flatMap((each) => each?.[each.type]?.file_name ?? []);
      expect(names, about).toEqual(files);
    }
    await readEach(messages);
  });

  describe('samples of mail libraries', needs(MAIL_SAMPLES, HAS_MAIL_SAMPLES), () => {
    test('are read, none without its text', async () => {
      const samples = readMailSamples();
      expect(samples.length).toBeGreaterThan(10);
      const { id: instance, client } = await connect('samples');
      await client.appendAll('INBOX', [
        ...samples.map(({ source }) => source),
        Buffer.from(end('end@samples.test')),
      ]);
      const messages = await readAll(instance, 'end@samples.test');
      expect(messages.filter((message) => getText(message).includes('could not be read'))).toEqual([]);
      expect(messages.length).toBeGreaterThan(samples.length / 2); // some are the same mail in two packages
      await readEach(messages);
    });
  });
});
