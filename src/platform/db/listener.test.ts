import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/events/outbox.ts';
import { createListener, type Listener } from './listener.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';

let test: TestDatabase;
const open: Listener[] = [];

interface Heard {
  listener: Listener;
  events: string[];
  epoch: string[];
  warnings: string[];
}

/** A process: its listener, and the notifications since it was connected. */
async function join(): Promise<Heard> {
  const heard: Omit<Heard, 'listener'> = { events: [], epoch: [], warnings: [] };
  const listener = createListener({
    connection: test.connection,
    log: { warn: (_details, message) => heard.warnings.push(message) },
  });
  listener.on('events', (payload) => heard.events.push(payload));
  listener.on('epoch', (payload) => heard.epoch.push(payload));
  listener.start();
  open.push(listener);
  await until(() => listener.isConnected() && heard.events.length === 1);
  heard.events.length = heard.epoch.length = 0;
  return { listener, ...heard };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const cutAll = () =>
  test.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fairlead hints' and datname = current_database()`,
  );

beforeAll(async () => {
  test = await createTestDatabase('template0');
});
afterEach(() => Promise.all(open.splice(0).map((listener) => listener.stop())));
afterAll(() => test.drop());

describe('hints', () => {
  it('reach the other processes, not the own', async () => {
    const [a, b, c] = [await join(), await join(), await join()];
    a.listener.notify('events', 'x');
    await until(() => b.events.length === 1 && c.events.length === 1);
    expect([a.events, b.events, b.epoch]).toEqual([[], ['x'], []]);
  });

  it('that are alike and close together go as one', async () => {
    const [a, b] = [await join(), await join()];
    a.listener.notify('events');
    await until(() => b.events.length === 1);
    for (let n = 0; n < 500; n++) a.listener.notify('events');
    a.listener.notify('epoch');
    await until(() => b.epoch.length === 1);
    await pause(100);
    expect(b.events).toEqual(['', '']);
  });

  it('go on after the connection was cut, and what was missed is made up for by one to all', async () => {
    const [a, b] = [await join(), await join()];
    await cutAll();
    await until(() => !b.listener.isConnected() || b.events.length > 0);
    a.listener.notify('events', 'while away');
    await until(() => b.listener.isConnected() && b.events.includes('') && b.epoch.includes(''));
    await until(() => a.listener.isConnected());
    a.listener.notify('events', 'again');
    await until(() => b.events.includes('again'));
    expect(b.warnings).toHaveLength(1);
  });

  it('that cannot be sent cost nothing', async () => {
    const lonely = createListener({
      connection: { ...test.connection, port: 1, host: '127.0.0.1' },
      log: { warn() {} },
    });
    lonely.on('events', () => {});
    lonely.notify('events');
    lonely.start();
    await pause(50);
    lonely.notify('events');
    expect(lonely.isConnected()).toBe(false);
    await lonely.stop();
  });

  it('come from a connection that proves every second that it listens', async () => {
    const [a] = [await join()];
    const queries = async () => {
      const { rows } = await test.pool.query(
        `select query from pg_stat_activity where application_name = 'fairlead hints' and datname = current_database()`,
      );
      return rows.map(({ query }) => query as string);
    };
    await pause(1200);
    expect(await queries()).toEqual([expect.stringContaining('pg_listening_channels')]);
    expect(a.warnings).toEqual([]);
  });
});
