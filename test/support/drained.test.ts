import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { drained } from './drained.ts';

test('waits until a stream is read, and leaves no listener behind', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const countAll = (): number[] => ['drain', 'close', 'error'].map((event) => stream.listenerCount(event));
  const before = countAll();
  for (let nth = 0; nth < 20; nth += 1) {
    while (stream.write('bytes'));
    let isOver = false;
    const waiting = drained(stream).then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    while (stream.read() !== null);
    await waiting;
  }
  expect(countAll()).toEqual(before);
});

test('ends when the stream is closed, and fails with its error', async () => {
  const closed = new PassThrough();
  const waiting = drained(closed);
  closed.destroy();
  await waiting;
  const broken = new PassThrough();
  const failing = drained(broken);
  broken.destroy(new Error('It broke.'));
  await expect(failing).rejects.toThrow('It broke.');
  expect(broken.listenerCount('close')).toBe(0);
});
