/** Opening, losing, closing. */
import { describe, expect, test } from 'vitest';
import { type PairingStep } from '../../../src/channels/contract/driver.ts';
import { type DriverError } from '../../../src/channels/contract/driver-error.ts';
import { newStore, recordedContext } from './recorded-context.ts';
import { outbound, textMessage } from './samples.ts';
import { never, type Opened, type World } from './world.ts';

/** How long a call that was given up may still take. */
const AT_ONCE_MS = 5_000;

/** What the engine goes by: the driver says that it ended, or a probe does. @returns the reason */
async function getLoss({ context, connection }: Opened): Promise<DriverError> {
  const [ended] = context.endings;
  if (ended) return ended;
  return connection.probe(AbortSignal.timeout(AT_ONCE_MS)).then(
    () => Promise.reject(new Error('the connection counts as up')),
    (error: DriverError) => error,
  );
}

const socketsOpen = (): number =>
  process.getActiveResourcesInfo().filter((name) => /^(TCPSocketWrap|TLSWrap)$/.test(name)).length;

export function describeConnection(get: () => World): void {
  describe('a connection', () => {
    test('opens, knows its address, proves that it is up', async () => {
      const { account, connection, context } = await get().open();
      expect(connection.address).toBe(account.address);
      await connection.probe(never());
      expect(context.endings).toEqual([]);
    });

    test('is refused where the credentials are wrong', async () => {
      const { harness, open } = get();
      const account = harness.refused(await harness.makeAccount());
      await expect(open(account)).rejects.toMatchObject({ name: 'Error', kind: 'refused' });
    });

    test('ends at once when its context is aborted', async () => {
      const { harness } = get();
      const account = await harness.makeSlowAccount();
      const context = recordedContext(harness, account, newStore(account));
      const opening = harness.driver.open(context).then(
        () => null,
        (error: unknown) => error,
      );
      const began = performance.now();
      context.abort();
      expect(await opening).toMatchObject({ kind: 'lost' });
      expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
    });

    test('is paired once', async ({ skip }) => {
      const { harness, open } = get();
      expect(harness.makePairingAccount !== undefined).toBe(harness.driver.pairs);
      const make = harness.makePairingAccount ?? skip('not applicable: it does not pair');
      const account = await make();
      const store = newStore(account);
      const first = await open(account, store);
      const [step] = first.context.steps as PairingStep[];
      expect(step!.data).not.toBe('');
      expect(step!.expiresAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
      expect(first.context.steps.at(-1)).toBeNull();
      await first.connection.close();
      const again = await open(account, store);
      expect(again.context.steps).toEqual([]);
      await again.connection.logout?.(never());
    });

    test('that broke is told as lost', async ({ skip }) => {
      const { harness, open, eventually } = get();
      const { cut } = harness.keptConnection ?? skip('not applicable: it keeps no connection');
      const opened = await open();
      await cut(opened.account);
      expect(await eventually(() => getLoss(opened))).toMatchObject({ kind: 'lost' });
      await opened.connection.close();
      await open(opened.account, opened.context.store);
    });

    test('to a server that stopped is told as lost, and opens again with what was missed', async ({
      skip,
    }) => {
      const { harness, open, pair, told, eventually } = get();
      const server = harness.server ?? skip('the harness cannot stop its server');
      const opened = await pair();
      const { account, context, peer } = opened;
      await server.stop();
      try {
        expect(await eventually(() => getLoss(opened))).toMatchObject({ kind: 'lost' });
        await opened.connection.close();
        await expect(open(account)).rejects.toMatchObject({ kind: 'lost' });
      } finally {
        await server.start();
      }
      const again = await open(account, context.store);
      const id = await peer.send(account, textMessage('after the stop'));
      await told(again, 'message', (message) => message.externalId === id);
    });

    test('that hears nothing is found', async ({ skip }) => {
      const { harness, eventually, open } = get();
      const { deafen } = harness.keptConnection ?? skip('not applicable: it keeps no connection');
      const opened = await open();
      await deafen(opened.account);
      expect(await eventually(() => getLoss(opened))).toBeInstanceOf(Error);
      await opened.connection.close();
    });

    test('is closed when it is closed', async () => {
      const { open, pair, told, eventually } = get();
      const before = socketsOpen();
      const { account, context, connection, peer } = await pair();
      const { store } = context;
      await connection.close();
      await connection.close();
      const heard = store.signals.length;
      await eventually(() => expect(socketsOpen()).toBeLessThanOrEqual(before));
      const other = await open(account, { ...newStore(account), position: store.position });
      const id = await peer.send(account, textMessage('after the close'));
      await told(other, 'message', (message) => message.externalId === id);
      expect(store.signals).toHaveLength(heard);
      expect(context.endings).toEqual([]);
      await expect(connection.send(outbound(peer), never())).rejects.toMatchObject({ kind: 'lost' });
    });
  });
}
