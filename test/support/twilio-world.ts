/** Twilio's emulator `emulate` as the other end: two numbers, and people who send signed requests to both. */
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, succeeded } from './account.ts';
import { startEmulate } from './channels/channel-tools.ts';
import { type MessagingWorld, type Route, startTalk } from './messaging-rounds.ts';
import { connectInstance } from './messaging-worlds.ts';

const SID = `AC${'0'.repeat(31)}1`;
const TOKEN = 'twilio_test_auth_token';
const API = `/2010-04-01/Accounts/${SID}`;
const NUMBERS = ['+15550000001', '+15550000002'];
const PEOPLE = ['+15550001001', '+15550001002', '+15550001003'];
const PAUSE_MS = 50;
const PER_SECOND = 50;

export async function twilioWorld(): Promise<MessagingWorld> {
  const emulator = await startEmulate('twilio', { account: { sid: SID, auth_token: TOKEN } });
  const numbers = new Map<string, string>();
  const callbacks = new Map<string, string>();
  const call = async (path: string, form?: Record<string, string>): Promise<unknown> => {
    const answer = await fetch(emulator.about.url + path, {
      method: form ? 'POST' : 'GET',
      headers: { authorization: `Basic ${btoa(`${SID}:${TOKEN}`)}` },
      body: form && new URLSearchParams(form),
    });
    return (await succeeded(answer)).json();
  };

  async function connect(account: Account, number: string): Promise<string> {
    await call(`${API}/IncomingPhoneNumbers.json`, { PhoneNumber: number });
    const settings = {
      account_sid: SID,
      from: number,
      // The people of this world write to the callback themselves.
      set_webhook: false,
      per_second: PER_SECOND,
      api_url: emulator.about.url,
    };
    const credentials = { auth_token: TOKEN };
    return connectInstance(account, { name: number, channel: 'twilio', settings, credentials });
  }

  /** Sends until it gets a success, as a number whose fallback URL is the same does. */
  async function deliver(url: string, form: Record<string, string>): Promise<void> {
    const signed = Object.keys(form)
      .toSorted()
      .reduce((text, name) => text + name + form[name]!, url);
    const signature = createHmac('sha1', TOKEN).update(signed).digest('base64');
    const send = async (): Promise<boolean> => {
      const headers = { 'x-twilio-signature': signature };
      const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) });
      await answer.arrayBuffer();
      return answer.ok;
    };
    while (!(await send().catch(() => false))) await delay(PAUSE_MS);
  }

  return {
    env: { EGRESS_ALLOW: '127.0.0.1' },
    pauseMs: 100,
    // The API has no ID of ours, so that a message without an answer may have been accepted.
    isUncertain: true,
    keepsOrder: true,
    async open(account) {
      for (const number of NUMBERS) {
        const instance = await connect(account, number);
        numbers.set(instance, number);
        const read = await succeeded(await account.call('GET', `/instances/${instance}`));
        callbacks.set(instance, ((await read.json()) as { ingress_url: string }).ingress_url);
      }
      return [...numbers.keys()].flatMap((instance) => PEOPLE.map((to): Route => ({ instance, to })));
    },
    async received({ instance, to }) {
      const query = new URLSearchParams({ To: to, From: numbers.get(instance)!, PageSize: '1000' });
      const list = (await call(`${API}/Messages.json?${query.toString()}`)) as {
        messages: { body: string; direction: string }[];
        next_page_uri: string | null;
      };
      if (list.next_page_uri) throw new Error('There is more than a page of messages.');
      return list.messages.map(({ body }) => body).toReversed();
    },
    talk: (routes) =>
      startTalk(PAUSE_MS, async (n) => {
        const { instance, to: person } = routes[n % routes.length]!;
        const text = `said ${n}`;
        await deliver(callbacks.get(instance)!, {
          MessageSid: `SM${randomBytes(16).toString('hex')}`,
          AccountSid: SID,
          From: person,
          To: numbers.get(instance)!,
          Body: text,
          NumMedia: '0',
        });
        return [text];
      }),
    close: async () => emulator[Symbol.asyncDispose](),
  };
}
