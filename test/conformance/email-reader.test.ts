/** Mails that can't be read: the others are, and the reader is told of those that aren't. */
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import type { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { allowing } from '../support/egress.ts';
import { createEgress, type Egress } from '../../src/platform/egress/egress.ts';
import { needs } from '../support/needs.ts';
import type { DriverContext } from '../../src/channels/contract/driver.ts';
import type { DriverError } from '../../src/channels/contract/driver-error.ts';
import type { Json } from '../../src/channels/contract/json.ts';
import type { InboundMessage } from '../../src/channels/contract/signal.ts';
import { openImap } from '../../src/channels/email/imap-client.ts';
import { createMailReader } from '../../src/channels/email/mail-reader.ts';
import { mailClient } from '../support/channels/email/mail-client.ts';
import {
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  startMailServers,
} from '../support/channels/email/mail-servers.ts';

describe('a reader of mail', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  let servers: MailServers;
  let egress: Egress;
  beforeAll(async () => {
    servers = await startMailServers();
    egress = createEgress({ allow: allowing('127.0.0.1'), tls: { ca: servers.ca } });
  });
  afterAll(async () => {
    await egress?.close();
    await servers?.stop();
  });

  /** A reader over a connection of its own, to which something may be done first. */
  async function start(name: string, position: Json, harm: (client: ImapFlow) => void) {
    const user = await servers.addUser(name);
    const client = await openImap({
      egress,
      server: { host: servers.imap.host, port: servers.imap.tlsPort, security: 'tls' },
      login: { user: user.address, password: user.password },
      listens: false,
      signal: new AbortController().signal,
    });
    onTestFinished(() => client.close());
    harm(client);
    const heard: InboundMessage[] = [];
    const state = { position, fault: null as DriverError | null };
    const context = {
      position,
      log: { debug() {}, warn() {} },
      async emit(signals, next) {
        heard.push(...signals.filter((signal) => signal.kind === 'message'));
        state.position = next ?? null;
      },
      receiveFile: async (source) => {
        await buffer(source);
        return { size: 0, sha256: '' };
      },
    } satisfies Partial<DriverContext>;
    const reader = createMailReader({
      client,
      context: context as unknown as DriverContext,
      address: user.address,
      folder: 'INBOX',
      sentFolder: null,
      historyDays: 1,
      onFault: (fault) => (state.fault = fault),
    });
    reader.wake();
    return { user, heard, state, reader };
  }
  const toTexts = (heard: InboundMessage[]) => heard.map(({ text }) => text);
  const send = async (name: string, ...texts: string[]) => {
    const user = await servers.addUser(name);
    const client = mailClient(servers, user);
    for (const text of texts) await client.send({ to: user.address, from: 'somebody@mail.test', text });
    await client.sees(({ text }) => text?.trim() === texts.at(-1));
  };
  const UNREADABLE = '[A mail in the folder INBOX could not be read.]';

  test('passes over a mail that it can make nothing of, and tells', async () => {
    await send('harmed', 'first', 'second', 'third');
    const { heard } = await start('harmed', null, (client) => {
      const fetchOne = client.fetchOne.bind(client);
      vi.spyOn(client, 'fetchOne').mockImplementation((range, query, options) =>
        range === '2' && 'bodyParts' in query && !('bodyStructure' in query)
          ? Promise.reject(new Error('what is this?'))
          : fetchOne(range, query, options),
      );
    });
    await vi.waitFor(() => expect(toTexts(heard)).toEqual(['first', UNREADABLE, 'third']), PATIENCE);
  });

  test('passes over a mail at which the connection is lost again and again, and only then', async () => {
    await send('stuck', 'deadly', 'good');
    let position: Json = null;
    let losses = 0;
    for (;;) {
      const { heard, state, reader } = await start('stuck', position, (client) => {
        const fetchOne = client.fetchOne.bind(client);
        vi.spyOn(client, 'fetchOne').mockImplementation(async (range, query, options) => {
          if (range === '1') {
            const closed = once(client, 'close');
            client.close();
            await closed;
          }
          return fetchOne(range, query, options);
        });
      });
      await vi.waitFor(() => expect(state.fault !== null || heard.length === 2).toBe(true), PATIENCE);
      await reader.stop();
      position = state.position;
      if (state.fault === null) {
        expect(toTexts(heard)).toEqual([UNREADABLE, 'good']);
        break;
      }
      expect(state.fault.kind).toBe('lost');
      expect(heard).toEqual([]);
      losses += 1;
    }
    expect(losses).toBe(10);
    expect(position).toMatchObject({ stuck: null });
  });
});
