/** A stand-in for the Graph API as the other end: two numbers on one callback URL, and people who write to both. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, succeeded } from './account.ts';
import { type Body, startGraphApi } from './channels/whatsapp/graph-api.ts';
import { postWebhook, toChange, toWebhook } from './channels/whatsapp/webhooks.ts';
import { type MessagingWorld, type Route, startTalk } from './messaging-rounds.ts';
import { connectInstance } from './messaging-worlds.ts';

const APP_SECRET = '0123456789abcdef0123456789abcdef';
const TOKEN = 'EAAtoken-of-the-test';
const BUSINESS = '102290129340398';
const NUMBERS = ['16505550001', '16505550002'];
const PEOPLE = Array.from({ length: 20 }, (_, nth) => String(16505551000 + nth));
const PAUSE_MS = 50;
const HEARD_WITHIN_MS = 120_000;

export async function whatsappWorld(): Promise<MessagingWorld> {
  const api = await startGraphApi(null);
  const accepted: { number: string; to: string; text: string }[] = [];
  api.onMessage = (body, _id, { number }) => accepted.push({ number, to: body.to, text: body.text?.body });
  const numbers = new Map<string, string>();
  let callback = '';

  /** Meta delivers again until it gets a success. @returns once it was accepted */
  async function deliver(values: readonly { number: string; value: Body }[]): Promise<void> {
    const changes = values.map(({ number, value }) =>
      toChange({ display_phone_number: number, phone_number_id: `1${number}` }, value),
    );
    const tries = (): Promise<number> => postWebhook(callback, toWebhook(changes), APP_SECRET).catch(() => 0);
    while ((await tries()) !== 200) await delay(PAUSE_MS);
  }
  const say = (from: string, body: string): Body => ({
    contacts: [{ wa_id: from, profile: { name: `Person ${from}` } }],
    messages: [
      {
        from,
        id: `wamid.${randomBytes(10).toString('hex')}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body },
      },
    ],
  });

  async function connect(account: Account, number: string): Promise<string> {
    const id = `1${number}`;
    api.addAccount({ phoneNumberId: id, businessAccountId: BUSINESS, number, token: TOKEN });
    const settings = { phone_number_id: id, business_account_id: BUSINESS, api_root: api.apiRoot };
    const credentials = { access_token: TOKEN, app_secret: APP_SECRET, verify_token: 'fairlead-test' };
    return connectInstance(account, { name: number, channel: 'whatsapp', settings, credentials });
  }

  /** Waits until each person has written to each number, which opens the reply window. */
  async function openWindows(account: Account): Promise<void> {
    for (const person of PEOPLE)
      await deliver(NUMBERS.map((number) => ({ number, value: say(person, 'Hi') })));
    const deadline = performance.now() + HEARD_WITHIN_MS;
    for (;;) {
      const read = await succeeded(await account.call('GET', '/messages?limit=100'));
      const { data } = (await read.json()) as { data: unknown[] };
      if (data.length === NUMBERS.length * PEOPLE.length) return;
      if (performance.now() > deadline) throw new Error(`only ${data.length} messages were received`);
      await delay(PAUSE_MS);
    }
  }

  return {
    env: { EGRESS_ALLOW: '127.0.0.1' },
    // 40 chats, of which each takes one message in six seconds.
    pauseMs: 650,
    // The API has no ID of ours, so that a message without an answer may have been accepted.
    isUncertain: true,
    keepsOrder: true,
    async open(account) {
      for (const number of NUMBERS) numbers.set(await connect(account, number), number);
      const [first] = [...numbers.keys()];
      const read = await succeeded(await account.call('GET', `/instances/${first}`));
      callback = ((await read.json()) as { ingress_url: string }).ingress_url;
      await openWindows(account);
      return [...numbers.keys()].flatMap((instance) =>
        PEOPLE.map((person): Route => ({ instance, to: `+${person}` })),
      );
    },
    async received({ instance, to }) {
      const number = numbers.get(instance)!;
      return accepted.flatMap((one) => (one.number === number && `+${one.to}` === to ? [one.text] : []));
    },
    talk: () =>
      startTalk(PAUSE_MS, async (n) => {
        const texts = [`said ${n}`, `said ${n + 1}`];
        const person = PEOPLE[n % PEOPLE.length]!;
        await deliver(NUMBERS.map((number, nth) => ({ number, value: say(person, texts[nth]!) })));
        return texts;
      }),
    close: () => api.stop(),
  };
}
