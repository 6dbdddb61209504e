/** Presence of contacts: the cost of a flood of people or resources is bounded. */
import { expect, test, vi } from 'vitest';
import xml from '@xmpp/xml';
import type { Signal } from '../contract/signal.ts';
import { createPresence } from './presence.ts';
import { scriptedStream } from '../../../test/support/channels/xmpp/scripted-stream.ts';

const start = () => {
  const stream = scriptedStream('romeo@montague.lit');
  const told: Signal[] = [];
  const emit = async (signals: readonly Signal[]) => void told.push(...signals);
  stream.onStanza(createPresence({ stream, telling: { emit }, letsIn: false }).handle);
  const comes = (from: string, type?: string) =>
    stream.receive(xml('presence', { from, ...(type === undefined ? {} : { type }) }));
  const settled = (count: number) => vi.waitFor(() => expect(told).toHaveLength(count));
  return { told, comes, settled };
};

test('five resources of one person are remembered', async () => {
  const { told: signals, comes, settled } = start();
  for (let nth = 0; nth < 50; nth++) comes(`juliet@capulet.lit/${nth}`);
  await settled(1);
  for (let nth = 0; nth < 5; nth++) comes(`juliet@capulet.lit/${nth}`, 'unavailable');
  await settled(2);
  expect(signals).toMatchObject([{ isOnline: true }, { isOnline: false }]);
});

test('five thousand people are remembered, and others are not reported', async () => {
  const { told: signals, comes, settled } = start();
  // In parts, so that the queue never overflows.
  for (let nth = 0; nth < 6000; nth++) {
    comes(`p${nth}@capulet.lit/x`);
    if (nth % 1000 === 999) await settled(Math.min(nth + 1, 5000));
  }
  comes('p5999@capulet.lit/x', 'unavailable');
  comes('p0@capulet.lit/x', 'unavailable');
  await settled(5001);
  comes('p5999@capulet.lit/x');
  await settled(5002);
  expect(signals.slice(5000)).toMatchObject([
    { address: 'p0@capulet.lit', isOnline: false },
    { address: 'p5999@capulet.lit', isOnline: true },
  ]);
});
