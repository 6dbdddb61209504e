/** The other ends of channels, for the rounds in which the product is killed. */
import { setTimeout as delay } from 'node:timers/promises';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { type Account, succeeded } from './account.ts';
import { query } from './killing.ts';
import type { MessagingWorld, Route } from './messaging-rounds.ts';

const CONNECTED_WITHIN_MS = 120_000;

/** Makes an instance and waits until it is connected. @returns its ID */
export async function connectInstance(account: Account, body: object): Promise<string> {
  const made = await succeeded(await account.call('POST', '/instances', body));
  const { id } = (await made.json()) as { id: string };
  await succeeded(await account.call('POST', `/instances/${id}/connect`));
  const deadline = performance.now() + CONNECTED_WITHIN_MS;
  for (;;) {
    const read = await succeeded(await account.call('GET', `/instances/${id}`));
    const { state, last_error: fault } = (await read.json()) as { state: string; last_error: unknown };
    if (state === 'connected') return id;
    if (performance.now() > deadline)
      throw new Error(`the instance is ${state}, not connected: ${JSON.stringify(fault)}`);
    await delay(50);
  }
}

/** Three accounts that write to each other; each stores what it hears, so that the other end is the product itself. */
export function sandboxWorld(): MessagingWorld {
  const NAMES = ['anna', 'bert', 'cleo'];
  const instances = new Map<string, string>();
  return {
    env: {},
    pauseMs: 25,
    isUncertain: false,
    keepsOrder: true,
    async open(account) {
      for (const name of NAMES)
        instances.set(name, await connectInstance(account, { name, channel: 'sandbox' }));
      const others = (from: string): Route[] =>
        NAMES.filter((to) => to !== from).map((to) => ({ instance: instances.get(from)!, to }));
      return NAMES.flatMap(others);
    },
    async received(route, dataDir) {
      const rows = await query<{ text: string }>(
        dataDir,
        `select content ->> 'body' as text from messages
         where direction = 'inbound' and instance_id = '${toUuid('instance', instances.get(route.to)!)}'
           and content ->> 'body' like 'line %' order by sequence`,
      );
      return rows.map(({ text }) => text);
    },
    close: async () => undefined,
  };
}
