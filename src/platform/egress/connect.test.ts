import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { interleave } from './dial.ts';
import {
  allowing,
  CERTIFICATE,
  toError,
  pretendInternet,
  startEgress,
  startHttp,
  startTcp,
  startTls,
} from '../../../test/support/egress.ts';

const echo = (socket: net.Socket): void => void socket.pipe(socket);

async function assertEchoes(socket: net.Socket): Promise<void> {
  socket.write('ping');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toBe('ping');
  socket.destroy();
}

describe('a connection', () => {
  test('by TCP', async () => {
    const port = await startTcp(echo);
    await assertEchoes(
      await startEgress({ allow: allowing('127.0.0.1') }).connect({ host: '127.0.0.1', port }),
    );
  });

  test('by TLS, verified against the name, or the one that the protocol says', async () => {
    const port = await startTls(echo);
    const egress = startEgress({
      resolve: async () => ['8.8.8.8'],
      openSocket: pretendInternet().openSocket,
    });
    const ca = CERTIFICATE;
    await assertEchoes(await egress.connect({ host: 'receiver.test', port, tls: { ca } }));
    await assertEchoes(
      await egress.connect({ host: 'srv.example', port, tls: { ca, servername: 'receiver.test' } }),
    );
    const wrong = { host: 'srv.example', port, tls: { ca, rejectUnauthorized: false } };
    expect((await toError(egress.connect(wrong))).code).toBe('tls_failed');
    expect((await toError(egress.connect({ host: 'receiver.test', port, tls: true }))).code).toBe(
      'tls_failed',
    );
  });

  test('ends at its deadline, by its signal and when the server stops', async () => {
    const egress = startEgress({ resolve: () => new Promise(() => {}) });
    const to = { host: 'a.test', port: 80 };
    expect((await toError(egress.connect({ ...to, timeoutMs: 50 }))).code).toBe('timeout');
    expect((await toError(egress.connect({ ...to, signal: AbortSignal.timeout(50) }))).code).toBe('aborted');
    const waiting = toError(egress.connect(to));
    await egress.close();
    expect((await waiting).code).toBe('aborted');
  });

  test.each([0, 65_536, 1.5, NaN])('to port %s is refused', async (port) => {
    expect((await toError(startEgress().connect({ host: '8.8.8.8', port }))).code).toBe('invalid_url');
  });

  test('of undici itself goes through the guard too', async () => {
    const { port } = await startHttp((_, response) => response.end('ok'));
    const url = `http://127.0.0.1:${port}/`;
    const refused = request(url, { dispatcher: startEgress().dispatcher });
    expect((await toError(refused)).code).toBe('address_not_allowed');
    const { dispatcher } = startEgress({ allow: allowing('127.0.0.1') });
    expect(await (await request(url, { dispatcher })).body.text()).toBe('ok');
  });
});

describe('a name', () => {
  test('that resolves inward is refused, and where it leads is not told', async () => {
    const { openSocket, dialled } = pretendInternet();
    const egress = startEgress({ openSocket, resolve: async () => ['10.20.30.40', '::1'] });
    const error = await toError(egress.connect({ host: 'inner.example', port: 8080 }));
    expect(error.code).toBe('address_not_allowed');
    expect(error.detail).toContain('EGRESS_ALLOW=inner.example:8080');
    expect(error.detail).not.toMatch(/10\.20|::1/);
    expect(dialled).toEqual([]);
  });

  test('that resolves inward and outward is dialled outward only', async () => {
    const port = await startTcp(echo);
    const { openSocket, dialled } = pretendInternet();
    const egress = startEgress({ openSocket, resolve: async () => ['127.0.0.1', '8.8.8.8', 'fe80::1'] });
    await assertEchoes(await egress.connect({ host: 'both.example', port }));
    expect(dialled).toEqual(['8.8.8.8']);
  });

  test('that changes between look-up and connection is dialled as it was checked', async () => {
    const port = await startTcp(echo);
    const { openSocket, dialled } = pretendInternet();
    let asked = 0;
    const resolve = async (): Promise<string[]> => [(asked += 1) === 1 ? '8.8.8.8' : '127.0.0.1'];
    const egress = startEgress({ openSocket, resolve });
    await assertEchoes(await egress.connect({ host: 'rebinding.example', port }));
    expect([asked, dialled]).toEqual([1, ['8.8.8.8']]);
    expect((await toError(egress.connect({ host: 'rebinding.example', port }))).code).toBe(
      'address_not_allowed',
    );
  });

  test('whose socket is connected elsewhere than was checked is refused', async () => {
    const port = await startTcp(echo);
    const { openSocket, dialled } = pretendInternet('169.254.169.254');
    const egress = startEgress({ openSocket, resolve: async () => ['8.8.8.8'] });
    expect((await toError(egress.connect({ host: 'odd.example', port }))).code).toBe('address_not_allowed');
    expect(dialled).toEqual(['8.8.8.8']);
  });

  test('that the operator allowed may resolve to anything, at its port', async () => {
    const port = await startTcp(echo);
    const egress = startEgress({
      allow: allowing(`n8n.internal:${port}`),
      resolve: async () => ['127.0.0.1'],
    });
    await assertEchoes(await egress.connect({ host: 'N8N.internal.', port }));
    const elsewhere = { host: 'n8n.internal', port: port === 80 ? 81 : 80 };
    expect((await toError(egress.connect(elsewhere))).code).toBe('address_not_allowed');
  });

  test('localhost is asked of the machine where the operator allowed it', async () => {
    const port = await startTcp(echo);
    await assertEchoes(
      await startEgress({ allow: allowing('localhost') }).connect({ host: 'localhost', port }),
    );
  });

  test('that nobody knows fails as such', async () => {
    const error = await toError(startEgress().connect({ host: 'nobody.invalid', port: 80 }));
    expect(error.code).toBe('dns_failed');
  });
});

describe('several addresses', () => {
  test('take turns by family', () => {
    expect(interleave(['1.1.1.1', '2.2.2.2', '3.3.3.3', '2a00::1'])).toEqual([
      '2a00::1',
      '1.1.1.1',
      '2.2.2.2',
      '3.3.3.3',
    ]);
  });

  test('a dead one does not make the host unreachable, be it silent or refused', async () => {
    const port = await startTcp(echo);
    const { openSocket, dialled } = pretendInternet();
    for (const dead of ['silent', 'refused']) {
      const egress = startEgress({
        resolve: async () => ['8.8.8.8', '2606:4700::1111'],
        openSocket(address, at) {
          if (!net.isIPv6(address)) return openSocket!(address, at);
          dialled.push(address);
          // Silent: a socket that never connects. Refused: a port without a listener.
          return dead === 'silent' ? new net.Socket() : net.connect(1, '127.0.0.1');
        },
      });
      await assertEchoes(await egress.connect({ host: 'dual.example', port }));
    }
    expect(dialled).toEqual(['2606:4700::1111', '8.8.8.8', '2606:4700::1111', '8.8.8.8']);
  });

  test('a thousand are not all knocked at', async () => {
    const dialled: string[] = [];
    const egress = startEgress({
      resolve: async () => Array.from({ length: 1000 }, (_, n) => `8.8.${n >> 8}.${n & 255}`),
      openSocket(address) {
        dialled.push(address);
        return net.connect(1, '127.0.0.1');
      },
    });
    expect((await toError(egress.connect({ host: 'many.example', port: 80 }))).code).toBe(
      'connection_refused',
    );
    expect(dialled.length).toBeLessThanOrEqual(6);
  });
});

describe('a URL that is to be kept', () => {
  const toProblem = (url: string, resolve = async (): Promise<string[]> => ['8.8.8.8']) =>
    startEgress({ resolve, allow: allowing('127.0.0.1:9000') })
      .assertUrlAllowed(url, '/url')
      .then(
        () => null,
        (error: unknown) => error,
      );

  test('is let through where it leads outside, where it is allowed, and where it does not resolve now', async () => {
    expect(await toProblem('https://receiver.example/x')).toBeNull();
    expect(await toProblem('http://127.0.0.1:9000/')).toBeNull();
    const { resolve } = { resolve: async () => [] };
    expect(await toProblem('https://receiver.example/x', resolve)).toBeNull();
    expect(await toProblem('https://receiver.example/x', () => new Promise(() => {}))).toBeNull();
  });

  test('is refused with the setting that would let it through', async () => {
    const refused = [
      ['http://127.0.0.1:9001/', 'EGRESS_ALLOW=127.0.0.1:9001'],
      ['https://[::1]/', 'EGRESS_ALLOW=[::1]:443'],
      ['http://2130706433/', 'EGRESS_ALLOW=127.0.0.1:80'],
    ];
    for (const [url, line] of refused)
      expect(await toProblem(url!)).toMatchObject({
        code: 'address_not_allowed',
        status: 422,
        message: expect.stringContaining(line!),
        errors: [{ pointer: '/url', code: 'address_not_allowed', detail: expect.stringContaining(line!) }],
      });
    expect(await toProblem('https://inner.example/', async () => ['10.0.0.1'])).toMatchObject({
      code: 'address_not_allowed',
      message: expect.stringContaining('EGRESS_ALLOW=inner.example:443'),
    });
  });

  test.each([
    'ftp://a.example/',
    'javascript:alert(1)',
    'a.example',
    'https://u:p@a.example/',
    'http://[fe80::1%25eth0]/',
  ])('%s has not the shape of one', async (url) => {
    expect(await toProblem(url)).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/url', code: 'invalid_url' }],
    });
  });
});

test('a request that is answered while nothing is connected waits for nothing else', async () => {
  // Deadlines share one timer, which ends when nothing waits.
  const { port } = await startHttp((_, response) => response.end());
  const egress = startEgress({ allow: allowing('127.0.0.1') });
  const more = { method: 'GET', headers: {}, maxAnswerBytes: 10, url: `http://127.0.0.1:${port}/` };
  await egress.request({ ...more, timeoutMs: 60_000 });
  await sleep(60);
  await egress.request({ ...more, timeoutMs: 60_000 });
  expect(egress.stats().requests).toBe(0);
});
