/** Tests exchanges decided by their status: how a body that does not end is handled. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { EgressRequest } from './egress.ts';
import { allowing, startEgress, startHttp, startTcp, toError } from '../../../test/support/egress.ts';

const local = { allow: allowing('127.0.0.1') };
const ask = (port: number, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url: `http://127.0.0.1:${port}/hook`,
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: 'hello',
  timeoutMs: 600_000,
  maxAnswerBytes: 1000,
  statusDecides: true,
  ...more,
});

describe('where the status decides', () => {
  test.each([
    ['200', 'HTTP/1.1 200 OK\r\n\r\nabc', 200, 'abc'],
    ['204 after hints', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 OK\r\n\r\n', 202, ''],
    ['410', 'HTTP/1.1 410 Gone\r\ncontent-length: 900\r\n\r\ngone', 410, 'gone'],
    ['500', 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n', 500, 'abc'],
  ])('a receiver that keeps the body of its %s open has responded', async (_, text, status, body) => {
    const closed = vi.fn<() => void>();
    const port = await startTcp((socket) => {
      socket.on('close', closed);
      socket.once('data', () => socket.write(text));
    });
    const egress = startEgress(local);
    const answer = await egress.request(ask(port));
    expect({ ...answer, body: answer.body.toString() }).toMatchObject({ status, body, truncated: true });
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    expect(egress.stats().requests).toBe(0);
  });

  test('so has one that breaks its body off, and one that is left while it sends it', async () => {
    const port = await startTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')),
    );
    const answer = await startEgress(local).request(ask(port));
    expect({ ...answer, body: answer.body.toString() }).toMatchObject({
      status: 200,
      body: 'abc',
      truncated: true,
    });

    const leaving = new AbortController();
    const { port: open } = await startHttp((_, response) => {
      // Each turn of the event loop reads what has arrived, which is all of it once it is written.
      response.write('abc', async () => {
        for (let turn = 0; turn < 5; turn++) await setImmediate();
        leaving.abort();
      });
    });
    const left = await startEgress(local).request(ask(open, { signal: leaving.signal }));
    expect(left).toMatchObject({ status: 200, truncated: true });
  });

  test('a body that ends is whole, and its connection is used again', async () => {
    const { port, connections } = await startHttp((_, response) => {
      response.write('a');
      setTimeout(() => response.end('b'), 20);
    });
    const egress = startEgress(local);
    for (let n = 0; n < 10; n += 1) {
      const answer = await egress.request(ask(port));
      expect({ ...answer, body: answer.body.toString() }).toMatchObject({ body: 'ab', truncated: false });
    }
    expect(connections()).toBeLessThanOrEqual(2);
  });

  test('a receiver without a status has not responded', async () => {
    const port = await startTcp(
      (socket) => void socket.on('error', () => {}).write('HTTP/1.1 103 Hints\r\n\r\n'),
    );
    const error = await toError(startEgress(local).request(ask(port, { timeoutMs: 300 })));
    expect(error.code).toBe('timeout');
  });
});
