/** An emulator of Telegram as the other end: two bots of the product, and people who write to both. */
import { type MessagingWorld, startTalk } from '../../messaging-rounds.ts';
import { connectInstance } from '../../messaging-worlds.ts';
import { startBotApiServer, type TestBot } from './bot-api-server.ts';

const PAUSE_MS = 150;
const PEOPLE = [501, 502];

export async function telegramWorld(): Promise<MessagingWorld> {
  const server = await startBotApiServer();
  const bots = [server.addBot(), server.addBot()];
  const instances = new Map<string, TestBot>();

  return {
    env: { EGRESS_ALLOW: '127.0.0.1' },
    // One message a second in each chat.
    pauseMs: 700,
    isUncertain: true,
    keepsOrder: true,
    async open(account) {
      for (const bot of bots) {
        const settings = { api_root: server.url, receive: 'polling' };
        const credentials = { token: bot.token };
        const id = await connectInstance(account, {
          name: `bot ${bot.id}`,
          channel: 'telegram',
          settings,
          credentials,
        });
        instances.set(id, bot);
      }
      return [...instances.keys()].flatMap((instance) =>
        PEOPLE.map((person) => ({ instance, to: String(person) })),
      );
    },
    async received({ instance, to }) {
      const calls = instances
        .get(instance)!
        .calls.filter(({ method, params }) => method === 'sendMessage' && params['chat_id'] === Number(to));
      return calls.map(({ params }) => params['text'] as string);
    },
    talk: () =>
      startTalk(PAUSE_MS, async (n) => {
        const text = `said ${n}`;
        const id = PEOPLE[n % 2]!;
        const bot = bots[n % 2]!;
        const person = { id, is_bot: false, first_name: `Person ${id}` };
        const about = { message_id: bot.nextMessage(id), date: Math.floor(Date.now() / 1000), text };
        bot.push({ message: { ...about, from: person, chat: { ...person, type: 'private' } } });
        return [text];
      }),
    close: () => server.stop(),
  };
}
