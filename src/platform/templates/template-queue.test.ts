import { expect, it } from 'vitest';
import { createTemplateQueue, type Waiting } from './template-queue.ts';

interface Item extends Waiting {
  n: number;
}

function createQueue(max = 100) {
  const slow = new Set<string>();
  const dropped: string[] = [];
  const show = ({ workspaceId, n }: Item): string => `${workspaceId}${n}`;
  const queue = createTemplateQueue<Item>({
    max,
    isSlow: (workspaceId) => slow.has(workspaceId),
    onDropped: (item) => dropped.push(show(item)),
  });
  const next = (slowToo = true) => {
    const item = queue.take(slowToo);
    return item && show(item);
  };
  return { queue, slow, dropped, next };
}

it.each([1, 10, 100])('gives one person with 50 workspaces one turn among those of %i others', (others) => {
  const { queue, next } = createQueue(1_000);
  for (let n = 0; n < 50; n++)
    for (let i = 0; i < 3; i++) queue.add({ person: 'p', workspaceId: `p${n} `, n: i });
  for (let n = 0; n < others; n++) queue.add({ person: `o${n}`, workspaceId: `o${n} `, n: 0 });
  const taken = Array.from({ length: others + 1 }, () => next());
  expect(taken.filter((name) => name!.startsWith('p'))).toEqual(['p0 0']);
});

it('drops the newest of the person with the most, not who comes last', () => {
  const { queue, dropped, next } = createQueue(4);
  for (let n = 0; n < 5; n++) queue.add({ person: 'p', workspaceId: n % 2 ? 'a' : 'b', n });
  queue.add({ person: 'q', workspaceId: 'c', n: 0 });
  expect([dropped.length, queue.size]).toEqual([2, 4]);
  expect([next(), next()]).toEqual(['b0', 'c0']);
});

it('lets those that go slowly wait in a line of their own, and gives back first what had its turn', () => {
  const { queue, slow, next } = createQueue();
  for (let n = 0; n < 3; n++) queue.add({ person: 'a', workspaceId: 'a', n });
  slow.add('a');
  for (let n = 0; n < 3; n++) queue.add({ person: 'b', workspaceId: 'b', n });
  expect([next(false), next(false)]).toEqual(['b0', 'b1']);
  queue.requeue({ person: 'b', workspaceId: 'b', n: 1 });
  expect([next(), next(), next(), next(), next(), next()]).toEqual(['b1', 'a0', 'b2', 'a1', 'a2', undefined]);
  expect(queue.size).toBe(0);
});
