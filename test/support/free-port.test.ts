import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('a free port is none that the system gives to who calls, and is given once', async () => {
  const ports: number[] = [];
  for (let nth = 0; nth < 100; nth++) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.min(...ports)).toBeGreaterThan(10_080);
  expect(Math.max(...ports)).toBeLessThan(32_768);
  const server = createServer().listen(ports[0], '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
