/**
 * The mail servers go away for a while and come back. All accounts must be connected again, and what was to be sent
 * meanwhile, and what comes right afterwards, must arrive once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type MailUser, startMailServers, getTransport } from './channels/email/mail-servers.ts';
import { openAccount, succeeded } from './account.ts';
import { query } from './killing.ts';
import { connectMailbox, getMails, trusting } from './mail-world.ts';
import { startProduct } from './product.ts';
import { untilWithin } from './until.ts';

const until = untilWithin({ withinMs: 180_000, everyMs: 100 });
const MESSAGES_EACH = 3;

export interface OutageReport {
  accounts: number;
  outageMs: number;
  /** Of each account, from the return of the servers until it was connected, ms. */
  back: number[];
  /** Messages accepted while the servers were away, how many arrived, how many more than once. */
  accepted: number;
  arrived: number;
  doubled: number;
  /** Mails sent to the accounts right after the return, and how many of them were stored. */
  sentToUs: number;
  stored: number;
}

const textsIn = async (user: MailUser): Promise<string[]> =>
  (await getMails(user)).flatMap((mail) => /^meanwhile \d+ \d+/m.exec(mail) ?? []);

/** @param folder an empty one */
export async function mailOutage(folder: string, accounts: number, outageMs: number): Promise<OutageReport> {
  const servers = await startMailServers();
  const dataDir = `${folder}/data`;
  const product = await startProduct({
    dataDir,
    env: { ...(await trusting(servers, folder)), LOG_LEVEL: 'warn' },
  });
  try {
    const peer = await servers.addUser('peer');
    const account = await openAccount(product.base);
    const users: { id: string; address: string }[] = [];
    for (let n = 0; n < accounts; n += 1) {
      const user = await servers.addUser(`user${n}`);
      users.push({ id: await connectMailbox(account, servers, user), address: user.address });
    }
    const states = async (): Promise<Map<string, string>> => {
      const rows = await query<{ address: string; state: string }>(
        dataDir,
        `select address, state from instances where channel = 'email'`,
      );
      return new Map(rows.map(({ address, state }) => [address, state]));
    };

    await servers.stopServers();
    const goneAt = performance.now();
    await until('every loss is noticed', async () =>
      [...(await states()).values()].every((state) => state === 'reconnecting'),
    );
    let accepted = 0;
    for (let n = 0; n < MESSAGES_EACH; n += 1)
      for (const [index, { id }] of users.entries()) {
        const text = { body: `meanwhile ${index} ${n}` };
        await succeeded(
          await account.call('POST', '/messages', { instance_id: id, to: peer.address, type: 'text', text }),
        );
        accepted += 1;
      }
    await delay(Math.max(0, outageMs - (performance.now() - goneAt)));
    await servers.startServers();
    const returnedAt = performance.now();

    const transport = getTransport(servers, peer);
    for (const { address } of users)
      await transport.sendMail({
        from: peer.address,
        to: address,
        subject: 'Back',
        text: `again ${address}`,
      });

    const back = new Map<string, number>();
    await until('every account is connected', async () => {
      for (const [address, state] of await states())
        if (state === 'connected' && !back.has(address)) back.set(address, performance.now() - returnedAt);
      return back.size === accounts;
    });
    await until('every message arrives', async () => new Set(await textsIn(peer)).size === accepted);
    const heard = (): Promise<{ n: number }[]> =>
      query(
        dataDir,
        `select 1 as n from messages where direction = 'inbound' and content ->> 'body' like 'again %'`,
      );
    await until('every mail is stored', async () => (await heard()).length >= accounts);
    const texts = await textsIn(peer);
    return {
      accounts,
      outageMs,
      back: [...back.values()],
      accepted,
      arrived: new Set(texts).size,
      doubled: texts.length - new Set(texts).size,
      sentToUs: users.length,
      stored: (await heard()).length,
    };
  } finally {
    await product.stop();
    await servers.stop();
  }
}
