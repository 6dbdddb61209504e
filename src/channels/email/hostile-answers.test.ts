/** Hostile IMAP responses, which mails with many or deeply nested parts can cause. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { createEgress, type Egress } from '../../platform/egress/egress.ts';
import { allowing } from '../../../test/support/egress.ts';
import type { DriverContext } from '../contract/driver.ts';
import type { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import type { Signal, Unprocessed } from '../contract/signal.ts';
import { emailDriver } from './email.driver.ts';
import { movedTo, readPosition, unreadUids } from './folder-position.ts';
import { openImap } from './imap-client.ts';

const TEXT = '("text" "plain" NIL NIL NIL "7bit" 10 1)';
const HEADER = 'From: a@mail.test\r\nMessage-ID: <x@mail.test>\r\nSubject: s\r\n\r\n';
const UNREADABLE = '[A mail in the folder INBOX could not be read.]';

interface Server {
  structure?: string;
  folders?: string;
  /** The number of mails, whose numbers are their UIDs. */
  mails?: number;
}

const INBOX = '* LIST () "/" INBOX\r\n';

/** Returns the UIDs of all mails, or of the requested range of numbers. */
function searched(command: string, mails: number): string {
  const [, first, last] = /^UID SEARCH (\d+):(\d+) /.exec(command) ?? [];
  const [from, to] = [Number(first ?? 1), Number(last ?? mails)];
  return `* SEARCH ${Array.from({ length: to - from + 1 }, (_, nth) => from + nth).join(' ')}\r\n`;
}

/** Responds to a command about a folder of mails, all with the given structure. */
function getResponse(
  command: string,
  { structure = TEXT, folders = INBOX, mails = 1 }: Server,
  now: string,
): string {
  if (command.startsWith('CAPABILITY')) return '* CAPABILITY IMAP4rev1\r\n';
  if (command.startsWith('LIST')) return folders;
  if (/^(SELECT|EXAMINE)/.test(command))
    return `* ${mails} EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT ${mails + 1}] x\r\n`;
  if (command.startsWith('UID SEARCH')) return searched(command, mails);
  if (!command.startsWith('UID FETCH')) return '';
  const about = command.includes('BODYSTRUCTURE')
    ? ` BODYSTRUCTURE ${structure} BODY[HEADER] {${HEADER.length}}\r\n${HEADER}`
    : '';
  return `* 1 FETCH (UID 1 INTERNALDATE "${now}"${about})\r\n`;
}

const speakImap = (server: Server) => (socket: Socket) => {
  const now = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1-$2-$3 $4 +0000');
  let left = '';
  socket.on('error', () => {}).write('* OK hello\r\n');
  socket.on('data', (data) => {
    const lines = (left + data.toString()).split('\r\n');
    left = lines.pop()!;
    for (const line of lines) {
      const [tag, command] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
      socket.write(`${getResponse(command.toUpperCase(), server, now)}${tag} OK done\r\n`);
    }
  });
};
const speakSmtp = (socket: Socket) => {
  socket.on('error', () => {}).write('220 hello\r\n');
  socket.on('data', (data) => {
    const said = data.toString();
    socket.write(
      said.startsWith('EHLO')
        ? '250-me\r\n250 AUTH PLAIN\r\n'
        : said.startsWith('AUTH')
          ? '235 ok\r\n'
          : '250 ok\r\n',
    );
  });
};

describe('a server', () => {
  let egress: Egress;
  beforeAll(() => void (egress = createEgress({ allow: allowing('127.0.0.1') })));
  afterAll(() => egress.close());

  async function serve(speak: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      speak(socket);
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Connects like the engine, which stores nothing after a connection has ended. */
  async function connect(ports: { imap: number; smtp: number }, position: Json) {
    const state = { position, signals: [] as Signal[], fault: null as DriverError | null };
    const at = (port: number) => ({ host: '127.0.0.1', port, security: 'none' });
    const context: Partial<DriverContext> = {
      egress,
      position,
      name: 'n',
      settings: { address: 'me@mail.test', imap: at(ports.imap), smtp: at(ports.smtp), history_days: 1 },
      credentials: { user: 'u', password: 'p' },
      log: { debug() {}, warn() {} },
      signal: new AbortController().signal,
      emit(signals, next) {
        if (state.fault) return Promise.reject(new Error('it has ended'));
        state.signals.push(...signals);
        if (next !== undefined) state.position = next;
        return Promise.resolve();
      },
      ended: (fault) => (state.fault = fault),
    };
    const connection = await emailDriver.open(context as DriverContext);
    onTestFinished(() => connection.close());
    return Object.assign(state, { connection });
  }
  const toTexts = (signals: Signal[]) =>
    signals.map((signal) => (signal.kind === 'message' ? signal.text : signal.kind));

  test.each([
    ['with a deeply nested mail: the mail is reported as unreadable', 30, 1],
    [
      'with a mail whose structure is too large: the connection is lost once, then the mail is reported as unreadable',
      1,
      60_000,
    ],
  ])('%s', async (_what, levels, parts) => {
    const structure = '('.repeat(levels) + TEXT.repeat(parts) + ' "mixed")'.repeat(levels);
    const ports = { imap: await serve(speakImap({ structure })), smtp: await serve(speakSmtp) };
    let state = await connect(ports, null);
    await vi.waitFor(() => expect(state.fault !== null || state.signals.length > 0).toBe(true), PATIENCE);
    expect(state.fault === null).toBe(parts === 1);
    if (state.fault) {
      expect(state.fault.kind).toBe('lost');
      state = await connect(ports, state.position);
    }
    await vi.waitFor(() => expect(toTexts(state.signals)).toEqual([UNREADABLE, 'unprocessed']), PATIENCE);
    expect(state.position).toMatchObject({ stuck: null, folders: { INBOX: { uid: 1 } } });
  });

  test('with an unprocessed mail: the mail is read again once it is readable', async () => {
    const server: Server = { structure: '('.repeat(30) + TEXT + ' "mixed")'.repeat(30) };
    const imap = await serve(speakImap(server));
    const { connection, signals } = await connect({ imap, smtp: await serve(speakSmtp) }, null);
    await vi.waitFor(() => expect(toTexts(signals)).toEqual([UNREADABLE, 'unprocessed']), PATIENCE);
    const { raw } = signals[1] as Unprocessed;
    const readAgain = async (body: Json): Promise<Signal[]> => {
      const before = signals.length;
      await connection.receive([{ id: 'x', accountKey: null, body }], new AbortController().signal);
      return signals.slice(before);
    };
    const kept = (body: Json) => [expect.objectContaining({ kind: 'unprocessed', raw: body })];
    expect(await readAgain(raw)).toEqual(kept(raw));

    server.structure = TEXT;
    // In a different or recreated folder, the UID belongs to a different mail.
    for (const [name, value] of [
      ['folder', 'Other'],
      ['uid_validity', '2'],
      ['uid', '1'],
    ] as const) {
      const other = { ...(raw as { [name: string]: Json }), [name]: value };
      expect(await readAgain(other)).toEqual(kept(other));
    }
    expect(await readAgain(raw)).toMatchObject([
      { kind: 'message', externalId: 'x@mail.test', subject: 's' },
    ]);
  });

  test('with more mails than fit in one response: the folder is searched in parts', async () => {
    const mails = 200_000;
    const port = await serve(speakImap({ mails }));
    const client = await openImap({
      egress,
      server: { host: '127.0.0.1', port, security: 'none' },
      login: { user: 'u', password: 'p' },
      listens: false,
      signal: new AbortController().signal,
    });
    onTestFinished(() => client.close());
    await client.mailboxOpen('INBOX');
    const position = (uid: number) => movedTo(readPosition(null, new Date()), 'INBOX', 1n, uid);
    const found = await unreadUids(client, 'INBOX', position(7));
    expect([found.length, found[0], found.at(-1)]).toEqual([mails - 7, 8, mails]);
    const asked = vi.spyOn(client, 'search');
    expect(await unreadUids(client, 'INBOX', position(mails - 2))).toEqual([mails - 1, mails]);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test('with too many folders: the connection is refused before they fill the memory', async () => {
    const folders = (many: number): string =>
      INBOX + Array.from({ length: many }, (_, nth) => `* LIST () "/" "Folder ${nth}"\r\n`).join('');
    const smtp = await serve(speakSmtp);
    await connect({ imap: await serve(speakImap({ folders: folders(2000) })), smtp }, null);
    const imap = await serve(speakImap({ folders: folders(30_000) }));
    await expect(connect({ imap, smtp }, null)).rejects.toMatchObject({
      kind: 'refused',
      code: 'too_many_folders',
    });
  });
});
