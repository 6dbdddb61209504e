/** A bridge of docs/http-channel.md as the other end: two instances, and people behind the bridge who write to both. */
import { generateSecret } from '../../src/core/webhooks/delivery/webhook-secret.ts';
import type { Account } from './account.ts';
import { startBridge } from './channels/http/bridges.ts';
import { type MessagingWorld, type Route, startTalk } from './messaging-rounds.ts';
import { connectInstance } from './messaging-worlds.ts';

const PAUSE_MS = 50;
const NAMES = ['first', 'second'];
const PEOPLE = ['ada', 'ben'];

export async function httpWorld(): Promise<MessagingWorld> {
  const secret = generateSecret();
  const bridge = await startBridge('TypeScript', secret);
  const settings = { url: bridge.url, resend: 'deduplicated', operations: ['delivery_receipts'] };
  const connect = (account: Account, name: string): Promise<string> =>
    connectInstance(account, { name, channel: 'http', settings, credentials: { secret } });
  return {
    env: { EGRESS_ALLOW: '127.0.0.1' },
    pauseMs: 20,
    isUncertain: false,
    keepsOrder: true,
    async open(account) {
      const routes: Route[] = [];
      for (const name of NAMES) {
        const instance = await connect(account, name);
        routes.push(...PEOPLE.map((to) => ({ instance, to })));
      }
      return routes;
    },
    async received({ instance, to }) {
      const actions = (await bridge.actions()) as {
        action: string;
        instance: string;
        chat: { address: string };
        text: string;
      }[];
      return actions.flatMap((one) =>
        one.action === 'send' && one.instance === instance && one.chat.address === to ? [one.text] : [],
      );
    },
    talk: (routes) =>
      startTalk(PAUSE_MS, async (n) => {
        const { instance, to } = routes[n % routes.length]!;
        const text = `said ${n}`;
        const at = new Date().toISOString();
        const signal = { signal: 'message', external_id: text, from: to, type: 'text', text, at };
        // Resolves once it is stored, however often the product was killed meanwhile.
        await bridge.say(instance, [signal]);
        return [text];
      }),
    close: async () => bridge[Symbol.asyncDispose](),
  };
}
