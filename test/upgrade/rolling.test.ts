/**
 * Servers are replaced one by one while they serve: the earlier version and this one together on one database, whose
 * schema this one changes. It is what holds migrations to "expand, then contract".
 */
import { afterEach, expect, test, vi } from 'vitest';
import { appliedMigrations, knownMigrations } from '../../src/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase, getUrl } from '../support/db.ts';
import { startReceiver } from '../support/webhooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openAccount, succeeded } from '../support/account.ts';
import { EARLIER_SERVER, unpackEarlierVersion } from '../support/earlier-version.ts';
import { connectInstance } from '../support/messaging-worlds.ts';
import { type Product, type ProductOptions, startProduct } from '../support/product.ts';
import { type RollingLoad, SCOPES, startRollingLoad } from '../support/rolling-load.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const STEPS = 8;
/** Four starts of whole servers, with load. */
const PATIENT = { timeout: 400_000 };
let database: TestDatabase;
let load: RollingLoad | undefined;
const products: Product[] = [];
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  await load?.stop();
  for (const product of products) if (product.isRunning()) await product.stop();
  for (const end of ends) await end();
  await database?.drop();
});

async function rows(text: string) {
  return (await database.pool.query(text)).rows;
}

test('old and new servers serve together, and nothing is lost', PATIENT, async () => {
  await using folder = await temporaryFolder();
  const root = await unpackEarlierVersion(folder.path);
  database = await createTestDatabase('template0');
  const env = {
    DATABASE_URL: getUrl(database.connection),
    FAIRLEAD_SECRET: 'the secret of a test that upgrades',
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
    STORAGE_RESERVE: '0',
  };
  const start = async (dataDir: string, of?: Pick<ProductOptions, 'root' | 'command'>): Promise<Product> => {
    const product = await startProduct({ dataDir: `${folder.path}/${dataDir}`, env, ...of });
    products.push(product);
    return product;
  };
  const receiver = await startReceiver();
  ends.push(() => receiver.close());

  const old = await start('first', { root, command: EARLIER_SERVER });
  const earlier = await appliedMigrations(database.db);
  expect(earlier.at(-1)).toBe('0023_rules');
  const account = await openAccount(old.base);
  const { secret } = await account.createKey({ preset: undefined, scopes: SCOPES });
  const sequenced = async () =>
    expect(await rows('select count(*)::int as n from outbox')).toEqual([{ n: 0 }]);
  // An event is for whoever subscribes when it gets its sequence, so that of the key could be for this webhook as well.
  await vi.waitFor(sequenced, WAIT);
  const webhook = { url: receiver.url, events: ['message.received', 'link.created', 'api_key.created'] };
  await succeeded(await account.call('POST', '/webhooks', webhook));
  const anna = await connectInstance(account, { name: 'anna', channel: 'sandbox' });
  await connectInstance(account, { name: 'bert', channel: 'sandbox' });

  load = startRollingLoad(secret, anna, 'bert');
  await load.setServers([old.base]);
  await load.steps(STEPS);

  // The new one migrates while the old one is under load, and both serve.
  const second = await start('second');
  expect(await appliedMigrations(database.db)).toEqual(await knownMigrations());
  await load.setServers([old.base, second.base]);
  await load.steps(2 * STEPS);

  // The old one is replaced, on its own folder.
  await load.setServers([second.base]);
  expect((await old.stop()).code).toBe(0);
  await load.steps(STEPS);
  const replaced = await start('first');
  await load.setServers([second.base, replaced.base]);
  await load.steps(STEPS);
  await load.stop();

  const { messages, visits, strange } = load.done;
  expect(strange, products.map((product) => product.output()).join('\n')).toEqual([]);
  expect(messages.length).toBeGreaterThanOrEqual(5 * STEPS - 4);

  await vi.waitFor(async () => {
    const heard = await rows("select content ->> 'body' as text from messages where direction = 'inbound'");
    expect(heard.map(({ text }) => text).sort()).toEqual([...messages].sort());
    const sent = await rows("select distinct status from messages where direction = 'outbound'");
    expect(sent).toEqual([{ status: 'delivered' }]);
  }, WAIT);
  await vi.waitFor(async () => {
    const counted = await rows(
      'select l.slug, c.clicks::int from links l join link_counters c on c.link_id = l.id where c.clicks > 0',
    );
    expect(new Map(counted.map(({ slug, clicks }) => [slug, clicks]))).toEqual(visits);
  }, WAIT);
  await vi.waitFor(async () => {
    await sequenced();
    expect(await rows('select count(*)::int as n from delivery_queue')).toEqual([{ n: 0 }]);
  }, WAIT);
  const wanted = await rows(
    "select count(*)::int as n from events where type in ('message.received', 'link.created', 'api_key.created') and sequence > (select min(sequence) from events where type = 'webhook.created')",
  );
  expect(new Set(receiver.ids()).size).toBe(wanted[0]!['n']);
  const [events] = await rows(
    'select count(*)::int as n, min(sequence)::int as first, max(sequence)::int as last, count(distinct sequence)::int as different from events',
  );
  expect(events).toEqual({ n: events!['last'], first: 1, last: events!['last'], different: events!['last'] });
});
