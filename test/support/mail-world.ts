/** Mail servers as the other end: three accounts, of which the product has two; the third writes on its own to both. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  accountAt,
  type MailServers,
  type MailUser,
  startMailServers,
  getTransport,
} from './channels/email/mail-servers.ts';
import type { Account } from './account.ts';
import { type MessagingWorld, type Route, startTalk } from './messaging-rounds.ts';
import { connectInstance } from './messaging-worlds.ts';

const PAUSE_MS = 150;

/** The mails of an account as the server keeps them, in the order in which they came. */
export async function getMails({ maildir }: MailUser): Promise<string[]> {
  const files: { name: string; path: string }[] = [];
  for (const folder of ['new', 'cur'])
    for (const name of await readdir(join(maildir, folder)).catch(() => [] as string[]))
      files.push({ name, path: join(maildir, folder, name) });
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  // A mail may move from new to cur while this looks.
  return Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => '')));
}

const toText = (mail: string): string | null => /^line \d+ \d{6}/m.exec(mail)?.[0] ?? null;

/** Settings of a product that trusts the servers. @param folder for the file that it knows them by */
export async function trusting({ ca }: MailServers, folder: string): Promise<Record<string, string>> {
  const authorities = join(folder, 'mail-authority.pem');
  await writeFile(authorities, ca);
  return { EGRESS_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: authorities };
}

/** Makes an instance of somebody's account, and connects it. @returns its ID */
export const connectMailbox = (account: Account, servers: MailServers, user: MailUser): Promise<string> =>
  connectInstance(account, { name: user.address, channel: 'email', ...accountAt(servers, user) });

/** @param folder an empty one, for what the servers' certificate is trusted by */
export async function mailWorld(folder: string): Promise<MessagingWorld> {
  const servers = await startMailServers();
  const anna = await servers.addUser('anna');
  const bert = await servers.addUser('bert');
  const dora = await servers.addUser('dora');
  const byAddress = new Map([anna, bert, dora].map((user) => [user.address, user]));
  const instances = new Map<string, MailUser>();

  return {
    env: await trusting(servers, folder),
    // Two accounts at five mails a second each.
    pauseMs: 700,
    isUncertain: true,
    keepsOrder: false,
    async open(account) {
      const getId = async (user: MailUser): Promise<string> => {
        const id = await connectMailbox(account, servers, user);
        instances.set(id, user);
        return id;
      };
      const ids = { anna: await getId(anna), bert: await getId(bert) };
      return [
        { instance: ids.anna, to: bert.address },
        { instance: ids.anna, to: dora.address },
        { instance: ids.bert, to: anna.address },
        { instance: ids.bert, to: dora.address },
      ];
    },
    async received(route: Route) {
      const from = instances.get(route.instance)!;
      const mails = await getMails(byAddress.get(route.to)!);
      return mails
        .filter((mail) => new RegExp(`^From: .*${from.address}`, 'im').test(mail))
        .flatMap((mail) => toText(mail) ?? []);
    },
    talk() {
      const transport = getTransport(servers, dora);
      return startTalk(PAUSE_MS, async (n) => {
        const text = `said ${n}`;
        const to = n % 2 ? anna.address : bert.address;
        await transport.sendMail({ from: dora.address, to, subject: `Number ${n}`, text });
        return [text];
      });
    },
    close: () => servers.stop(),
  };
}
