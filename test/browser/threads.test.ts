/** Threads of a chat in the console, in a browser, on the emulator of Telegram; and the updates that it can't read. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  type BotApiServer,
  startBotApiServer,
  type TestBot,
} from '../support/channels/telegram/bot-api-server.ts';
import {
  asOwner,
  expectClean,
  expectFits,
  type Home,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';

const ANN = { id: 7, is_bot: false, first_name: 'Ann' };
const TEAM = { id: -1001234567890, type: 'supergroup', title: 'Team', is_forum: true };

describe('threads in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  let server: BotApiServer;
  let home: Home;
  let bot: TestBot;
  let instance: string;
  beforeAll(async () => {
    server = await startBotApiServer();
    world = await startTestConsole({ EGRESS_ALLOW: '127.0.0.1' });
    home = await world.newHome();
    bot = server.addBot();
    const { id } = await asOwner(home, '/instances', {
      name: 'Bot',
      channel: 'telegram',
      settings: { api_root: server.url, receive: 'polling' },
      credentials: { token: bot.token },
    });
    instance = id;
    await asOwner(home, `/instances/${instance}/connect`, undefined, 'POST');
  });
  afterEach(() => world.closeAll());
  afterAll(async () => {
    await world?.stop();
    await server?.stop();
  });

  const receive = (text: string, topic: number | null) =>
    bot.push({
      message: {
        message_id: bot.nextMessage(TEAM.id),
        date: Math.floor(Date.now() / 1000),
        chat: TEAM,
        from: ANN,
        text,
        ...(topic !== null && { message_thread_id: topic, is_topic_message: true }),
      },
    });
  const getTopic = (text: string) =>
    bot.calls.find(({ method, params }) => method === 'sendMessage' && params['text'] === text)?.params[
      'message_thread_id'
    ];
  const isSent = (text: string) => bot.calls.some(({ params }) => params['text'] === text);

  test('shows threads, and answers into that of the last received message, or another one', async () => {
    receive('In general', null);
    receive('Where is my order?', 45);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/chats');
    await page.getByRole('link', { name: 'Where is my order?' }).click();
    const log = page.getByRole('log', { name: 'Messages' });
    const bubble = (text: string) => log.getByRole('article', { name: text });
    await bubble('Where is my order?').getByText('Thread 45', { exact: true }).waitFor();
    expect(await bubble('In general').getByText('Thread').count()).toBe(0);
    const thread = page.getByLabel('Thread');
    const write = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.keyboard.press('Enter');
      await expect.poll(() => isSent(text), PATIENCE).toBe(true);
    };
    expect(await thread.inputValue()).toBe('45');
    await write('On its way');
    expect(getTopic('On its way')).toBe(45);
    await bubble('On its way').getByText('Thread 45', { exact: true }).waitFor();

    // A message in another thread doesn't move what is being written.
    await page.getByLabel('Message', { exact: true }).fill('It arrives');
    receive('Deploys tonight', 46);
    await bubble('Deploys tonight').waitFor();
    expect(await thread.inputValue()).toBe('45');
    await write('It arrives tomorrow');
    expect(getTopic('It arrives tomorrow')).toBe(45);
    await expect.poll(() => thread.inputValue(), PATIENCE).toBe('46');

    await thread.selectOption({ label: 'No thread' });
    await expectFits(page, 'a chat with threads');
    await write('To all');
    await write('To all again');
    expect([getTopic('To all'), getTopic('To all again')]).toEqual([undefined, undefined]);
    expectClean(seen);
  });

  test('shows on the list of instances and at the top of the page how many updates could not be read', async () => {
    bot.push({ hologram: { id: 1 } });
    await expect
      .poll(async () => (await asOwner(home, `/instances/${instance}`)).unprocessed_updates.count, PATIENCE)
      .toBe(1);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/instances');
    await page.getByRole('button', { name: 'Actions for Bot', exact: true }).waitFor();
    await page.getByRole('row', { name: 'Bot' }).getByText('1 unprocessed', { exact: true }).waitFor();
    await expectFits(page, 'instances with unprocessed updates');
    await page.getByRole('link', { name: 'Bot' }).click();
    await page.getByLabel('Health').getByText('Unprocessed updates').waitFor();
    await page.getByText('"to": "123456789"').waitFor();
    await expectFits(page, 'an instance with unprocessed updates');
    expectClean(seen);
  });
});
