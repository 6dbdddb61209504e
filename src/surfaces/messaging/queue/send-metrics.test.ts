/** Tests the metrics of sending on /metrics with a running server. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await startWorkspace(app));
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown) => app.call(path, { key, body });
/** NaN where there is no such line. */
const toValue = async (series: string): Promise<number> => {
  const lines = (await (await fetch(`${app.base}/metrics`)).text()).split('\n');
  return Number(
    lines
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  );
};

test('what waits, what is under way, and how it ended', async () => {
  expect(await toValue('fairlead_sends_waiting')).toBe(0);
  const { body: instance } = await call('/instances', { name: 'metered', channel: 'sandbox' });
  await call(`/instances/${instance.id}/connect`, {});
  await vi.waitFor(
    async () => expect((await call(`/instances/${instance.id}`)).body.state).toBe('connected'),
    PATIENCE,
  );
  const send = async (to: string) => {
    const { status } = await call('/messages', {
      instance_id: instance.id,
      to,
      type: 'text',
      text: { body: 'Hi' },
    });
    expect(status).toBe(202);
  };
  for (const to of ['alice', 'bob', 'fail@x', 'never@x']) await send(to);
  await vi.waitFor(async () => {
    expect(await toValue('fairlead_sends_total{channel="sandbox",outcome="sent"}')).toBe(2);
    expect(await toValue('fairlead_sends_total{channel="sandbox",outcome="failed"}')).toBe(1);
    expect(await toValue('fairlead_sends_under_way')).toBe(1);
    expect(await toValue('fairlead_sends_waiting')).toBe(1);
  }, PATIENCE);
  await app.database.pool.query("update send_queue set due_at = due_at - interval '90 s'");
  const oldest = await toValue('fairlead_sends_oldest_due_seconds');
  expect(oldest).toBeGreaterThanOrEqual(90);
  expect(oldest).toBeLessThan(600);
});
