/** Fairlead behind the proxies of deploy/: Caddy and nginx, with the files that users are given. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { type NameServer, startNameServer } from '../support/links/domains.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { CALLER, type Call, callOutside, callPlain, openCall, openSession } from '../support/outside.ts';
import { follow, json, ORIGIN, type Owner, signUp, verifiedDomain } from '../support/behind-proxy.ts';
import { type Product, startProduct } from '../support/product.ts';
import {
  HAS_CADDY,
  HAS_NGINX,
  LINKS,
  MAIN,
  type Proxy,
  type ProxyOptions,
  startCaddy,
  startNginx,
} from '../support/proxies.ts';

const METRICS_TOKEN = 'a token for metrics';
const MIB = 1024 * 1024;
/** A node that is down: no test listens below 1024, while a port that is free now may be taken. */
const NOBODY = '127.0.0.1:9';
/** Of an answer that streams. */
const PIECES = 300;
/** Stands for "at once", on a machine that does much else: what is held back would not come before the stream ends. */
const AT_ONCE_MS = 4_000;
const IS_LINUX = process.platform === 'linux';

let names: NameServer;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let product: Product;

beforeAll(async () => {
  if (!IS_LINUX || (!HAS_CADDY && !HAS_NGINX)) return;
  names = await startNameServer();
  folder = await temporaryFolder();
  product = await startProduct({
    dataDir: `${folder.path}/data`,
    env: {
      BASE_URL: ORIGIN,
      TRUST_PROXY: '127.0.0.1',
      SIGN_UP: 'open',
      DNS_SERVERS: names.address,
      METRICS_TOKEN,
    },
  });
});
afterAll(async () => {
  await product?.stop();
  await names?.stop();
  await folder?.[Symbol.asyncDispose]();
});

const node = (): string => `127.0.0.1:${product.port}`;

describe.each([
  { kind: 'Caddy (caddy)', there: HAS_CADDY, start: startCaddy, email: 'caddy@example.com' },
  { kind: 'nginx (nginx-light)', there: HAS_NGINX, start: startNginx, email: 'nginx@example.com' },
])('behind $kind', ({ kind, there, start, email }) => {
  const isCaddy = kind.startsWith('Caddy');
  describe('in front of one node', needs(`${kind} on Linux`, there && IS_LINUX), () => {
    let proxy: Proxy;
    let owner: Owner;
    beforeAll(async () => {
      proxy = await start({ nodes: [node()] });
      owner = await signUp(proxy, product, email);
    });
    afterAll(() => proxy?.stop());
    const visit = (call: Partial<Call> & { path: string }) => callOutside(proxy, { name: MAIN, ...call });

    test('sign-up, console, reference and API answer by TLS, and tell browsers to stay there', async () => {
      expect(owner.cookies.every((line) => /; Secure/i.test(line))).toBe(true);
      const page = await visit({ path: '/user/api' });
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers['strict-transport-security']).toBe('max-age=31536000');
      expect(await visit({ path: '/docs' })).toHaveStatus(200);
      expect((await owner.call('/me')).body).toMatchObject({ default_domain: MAIN });
      const health = await visit({ path: '/readyz' });
      expect([health.status, health.body.status]).toEqual([200, 'ok']);
    });

    test('a write of a signed-in person needs the origin of BASE_URL', async () => {
      const cookie = owner.cookies.map((line) => line.split(';')[0]).join('; ');
      const write = (origin: string) =>
        visit({
          path: '/api/v1/tags',
          body: '{"name": "by cookie"}',
          headers: { ...json, cookie, origin, 'fairlead-workspace': owner.workspace },
        });
      expect(await write('https://evil.example')).toHaveStatus(403);
      expect(await write(`http://${MAIN}`)).toHaveStatus(403);
      expect(await write(ORIGIN)).toHaveStatus(201);
    });

    test('the address of a caller is its own, whatever it says about it', async () => {
      const { body: bound } = await owner.write('/api-keys', {
        name: 'From one address',
        scopes: ['links:read'],
        allowed_ips: [`${CALLER}/32`],
      });
      const from = async (address: string, headers: Record<string, string> = {}) =>
        (
          await visit({
            path: '/api/v1/links',
            from: address,
            headers: { authorization: `Bearer ${bound.secret}`, ...headers },
          })
        ).status;
      expect(await from(CALLER)).toBe(200);
      const refused = await from('127.0.0.3');
      expect(refused).toBe(403);
      for (const name of [
        'x-forwarded-for',
        'x-real-ip',
        'x-client-ip',
        'cf-connecting-ip',
        'true-client-ip',
      ])
        expect([name, await from('127.0.0.3', { [name]: CALLER })]).toEqual([name, refused]);
      expect(await from('127.0.0.3', { forwarded: `for=${CALLER}` })).toBe(refused);
      expect(await from(CALLER, { 'x-forwarded-for': '127.0.0.3, 127.0.0.3' })).toBe(200);

      // Who reaches Fairlead past the proxy is no proxy.
      const past = await new Promise<number>((resolve, reject) =>
        http
          .get(
            {
              host: '127.0.0.1',
              port: product.port,
              path: '/api/v1/links',
              localAddress: '127.0.0.3',
              agent: false,
              headers: { host: MAIN, authorization: `Bearer ${bound.secret}`, 'x-forwarded-for': CALLER },
            },
            (response) => resolve(response.resume().statusCode!),
          )
          .on('error', reject),
      );
      expect(past).toBe(refused);
    });

    test('a host that is not served gets 421, and no header makes it another', async () => {
      const misdirected = await visit({ path: '/api/v1/me', host: 'evil.example' });
      expect(misdirected).toHaveStatus(421);
      const forged = await owner.call('/me', undefined, {
        headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
      });
      expect([forged.status, forged.body.default_domain]).toEqual([200, MAIN]);
      const both = await visit({
        path: '/api/v1/me',
        host: 'evil.example',
        headers: { 'x-forwarded-host': MAIN },
      });
      expect(both).toHaveStatus(421);
    });

    test('metrics and what is internal are not to be had from outside', async () => {
      const asked = [
        '/metrics',
        '/metrics?x',
        '/%6Detrics',
        '//metrics',
        '/./metrics',
        '/x/../metrics',
        '/metrics/',
        '/internal',
        `/internal/tls-allowed?domain=${MAIN}`,
        `/%69nternal/tls-allowed?domain=${MAIN}`,
        `/internal/../internal/tls-allowed?domain=${MAIN}`,
        `//internal/tls-allowed?domain=${MAIN}`,
      ];
      for (const host of [MAIN, LINKS, 'evil.example'])
        for (const path of asked) {
          const answer = await visit({
            path,
            host,
            headers: { authorization: `Bearer ${METRICS_TOKEN}`, 'x-forwarded-for': '127.0.0.1' },
          });
          expect([path, [400, 403, 404, 421].includes(answer.status)]).toEqual([path, true]);
          expect(answer.text).not.toMatch(/process_cpu|allowed/);
        }
      // They are there, for this machine.
      const inside = await fetch(`http://${node()}/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
      });
      expect(await inside.text()).toContain('process_cpu');
    });

    test('HTTP is sent on to HTTPS', async () => {
      for (const host of [MAIN, LINKS]) {
        const { status, location } = await callPlain(proxy.httpPort, { host, path: '/launch?a=b' });
        expect([301, 308]).toContain(status);
        expect(location).toMatch(new RegExp(`^https://${host}(:${proxy.httpsPort})?/launch\\?a=b$`));
      }
    });

    test('events arrive at once while the stream stays open, by HTTP/2 too', async () => {
      const response = await openCall(proxy, {
        name: MAIN,
        path: '/api/v1/events/stream',
        headers: { authorization: `Bearer ${owner.key}`, 'accept-encoding': 'gzip' },
      });
      expect(response.headers['content-encoding']).toBeUndefined();
      const session = await openSession(proxy, MAIN);
      const second = session.request({
        ':path': '/api/v1/events/stream',
        authorization: `Bearer ${owner.key}`,
        'accept-encoding': 'gzip',
      });
      const [head] = (await once(second, 'response')) as [http2.IncomingHttpHeaders];
      expect(head[':status']).toBe(200);
      expect(head['content-encoding']).toBeUndefined();

      let wanted = '';
      const seen: Record<string, (() => void) | undefined> = {};
      const reader = (which: string) => (data: string) => {
        if (data.includes(wanted)) seen[which]?.();
        return true;
      };
      const ends = [
        follow(response, reader('first')).catch(() => undefined),
        follow(second, reader('second')).catch(() => undefined),
      ];
      for (const nth of [1, 2, 3]) {
        wanted = `streamed-${nth}-${randomBytes(4).toString('hex')}`;
        const arrived = ['first', 'second'].map(
          (which) => new Promise<void>((resolve) => (seen[which] = resolve)),
        );
        expect(await owner.call('/links', { url: `https://example.com/${wanted}` })).toHaveStatus(201);
        // A proxy that buffers would hand over nothing before the end of the stream.
        await Promise.all(arrived);
        expect([response.complete, second.readableEnded]).toEqual([false, false]);
      }
      response.destroy();
      second.close();
      session.destroy();
      await Promise.all(ends);
    });

    test('the answer of a model comes in pieces, as they are made', async () => {
      const since = performance.now();
      const response = await openCall(proxy, {
        name: MAIN,
        path: '/api/v1/chat/completions',
        headers: { ...json, authorization: `Bearer ${owner.key}`, 'accept-encoding': 'gzip' },
        body: JSON.stringify({
          model: 'fairlead/echo',
          stream: true,
          // A piece for each word, 5 ms from one to the next.
          messages: [{ role: 'user', content: 'Ahoy '.repeat(PIECES) }],
        }),
      });
      expect(response.statusCode).toBe(200);
      const at: number[] = [];
      await follow(response, (data) => {
        at.push(performance.now() - since);
        return data !== '[DONE]';
      });
      expect(at.length).toBeGreaterThan(PIECES);
      expect(at[0]).toBeLessThan(AT_ONCE_MS);
      // What is gathered on its way comes all at one time. Who reads may be late for the first pieces.
      expect(at.at(-1)! - at[0]!).toBeGreaterThan(PIECES * 2);
      expect(new Set(at.map((time) => Math.round(time / 10))).size).toBeGreaterThan(PIECES / 10);
    });

    const uploaded = (bytes: Buffer): { body: Buffer; headers: Record<string, string> } => {
      const boundary = randomBytes(16).toString('hex');
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
      return {
        body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      };
    };

    test('a file of 20 MiB passes, and comes back', { timeout: 240_000 }, async () => {
      const bytes = randomBytes(20 * MIB);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const given = uploaded(bytes);
      const { status, body, text } = await owner.call('/media', undefined, { method: 'POST', ...given });
      expect([status, body.size, body.sha256], text).toEqual([201, bytes.length, sha256]);
      const { bytes: content } = await owner.call(`/media/${body.id}/content`);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    });

    test('a large body that is refused is answered in our words, before it is there', async () => {
      const refusal = async (bytes: number, key: string) => {
        const { body, headers } = uploaded(Buffer.alloc(MIB));
        const { status, body: problem } = await owner.call('/media', undefined, {
          method: 'POST',
          body: body.subarray(0, MIB),
          missing: bytes - MIB,
          headers: { ...headers, authorization: `Bearer ${key}` },
        });
        return [status, problem.code];
      };
      expect(await refusal(80 * MIB, owner.key)).toEqual([413, 'payload_too_large']);
      expect(await refusal(20 * MIB, 'fl_nonsense')).toEqual([401, 'invalid_key']);
    });

    test('what is compressed on its way keeps its version', async () => {
      const { body: link } = await owner.call('/links', {
        url: 'https://example.com/long',
        description: 'a description that repeats itself '.repeat(14),
        metadata: { note: 'and a note that repeats itself '.repeat(15), more: 'and one more '.repeat(35) },
      });
      const read = await owner.call(`/links/${link.id}`, undefined, {
        headers: { 'accept-encoding': 'gzip' },
      });
      expect(read.headers['content-encoding']).toBe('gzip');
      expect(JSON.parse(gunzipSync(read.bytes).toString()).id).toBe(link.id);
      const etag = read.headers.etag!;
      const again = await owner.call(`/links/${link.id}`, undefined, { headers: { 'if-none-match': etag } });
      expect(again).toHaveStatus(304);
      const change = (version: string) =>
        owner.call(
          `/links/${link.id}`,
          { title: 'Changed' },
          { method: 'PATCH', headers: { 'if-match': version } },
        );
      expect(await change(etag)).toHaveStatus(200);
      expect(await change(etag)).toHaveStatus(412);
    });

    test('verified link domains lead on under their own name, and no other name is answered', async () => {
      const host = isCaddy ? 'links.caddy.example.com' : LINKS;
      const pending = await owner.call('/domains', { host: 'pending.example.com' });
      expect([201, 409]).toContain(pending.status);
      await verifiedDomain(owner, names, host);
      const link = {
        domain: host,
        slug: 'launch',
        url: 'https://example.com/target',
        title: 'A card',
        password: 'open sesame',
      };
      const plain = { domain: host, slug: 'plain', url: 'https://example.com/plain', title: 'A card' };
      for (const body of [link, plain]) expect(await owner.call('/links', body)).toHaveStatus(201);
      const at = (call: Partial<Call> & { path: string }) => callOutside(proxy, { name: host, ...call });

      await vi.waitFor(async () => {
        const redirect = await at({ path: '/plain' });
        expect([redirect.status, redirect.headers.location]).toEqual([302, plain.url]);
      }, PATIENCE);
      const card = await at({ path: '/plain', headers: { 'user-agent': 'facebookexternalhit/1.1' } });
      expect(card.text).toContain(`https://${host}/plain`);
      const unlocked = await at({
        path: '/launch',
        body: 'password=open+sesame',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(unlocked.headers['set-cookie']![0]).toMatch(/; Secure/);
      // No console and no API there.
      expect(await at({ path: '/user/api' })).toHaveStatus(404);
      expect(await at({ path: '/api/v1/me' })).toHaveStatus(404);

      for (const name of ['pending.example.com', 'nobody.example.net', 'localhost'])
        await expect(callOutside(proxy, { name, path: '/plain' })).rejects.toThrow(/alert|socket|SSL/i);
    });
  });

  test('secrets of addresses are in no log', needs(`${kind} on Linux`, there && IS_LINUX), async () => {
    const proxy = await start({ nodes: [node()] });
    let down: Proxy | null = null;
    try {
      if (isCaddy) down = await start({ nodes: [NOBODY] });
      // A certificate is made, or found, at the first connection, which may come too early for it.
      const isThere = async (one: Proxy, status: number): Promise<void> =>
        expect((await callOutside(one, { name: MAIN, path: '/docs' })).status).toBe(status);
      await vi.waitFor(() => isThere(proxy, 200), PATIENCE);
      const other = down;
      if (other) await vi.waitFor(() => isThere(other, 502), PATIENCE);
      const secret = `secret${randomBytes(6).toString('hex')}`;
      const doors = ['/in', '/inspect', '/media', '/user/api/invite'].map((door) => `${door}/${secret}`);
      for (const path of [...doors.map((door) => `${door}?token=${secret}`), `/docs?key=${secret}`]) {
        await callOutside(proxy, { name: MAIN, path });
        if (down) expect(await callOutside(down, { name: MAIN, path })).toHaveStatus(502);
      }
      await vi.waitFor(async () => {
        // Caddy tells of errors alone.
        if (down) expect(await down.logs()).toContain('connection refused');
        else expect(await proxy.logs()).toMatch(/GET \/user\/api\/invite\/\*{3}" 200[^]*GET \/docs"/);
      }, PATIENCE);
      expect(`${await proxy.logs()}${await down?.logs()}`).not.toContain(secret);
    } finally {
      await proxy.stop();
      await down?.stop();
    }
  });

  test(
    'of several nodes, those that are down or not ready are asked for nothing',
    {
      timeout: 240_000,
      ...needs(`${kind} on Linux`, there && IS_LINUX),
    },
    async () => {
      const asked: string[] = [];
      const unready = http.createServer((request, response) => {
        asked.push(request.url!);
        response.writeHead(503).end();
      });
      unready.listen(0, '127.0.0.1');
      await once(unready, 'listening');
      const options: ProxyOptions = { nodes: [node(), NOBODY] };
      if (isCaddy) options.nodes.push(`127.0.0.1:${(unready.address() as AddressInfo).port}`);
      const proxy = isCaddy ? await startCaddy(options, 'several_nodes') : await startNginx(options);
      try {
        if (isCaddy) await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), PATIENCE);
        await vi.waitFor(async () => {
          const { status } = await callOutside(proxy, { name: MAIN, path: '/healthz' });
          expect(status).toBe(200);
        }, PATIENCE);
        const before = asked.length;
        const statuses: number[] = [];
        for (let nth = 0; nth < 12; nth++) {
          const isWrite = nth % 2 === 0;
          const { status } = await callOutside(proxy, {
            name: MAIN,
            path: isWrite ? '/api/auth/sign-in/email' : '/api/v1/me',
            headers: { ...json, origin: ORIGIN },
            ...(isWrite
              ? { body: JSON.stringify({ email: `${nth}@example.com`, password: 'wrong wrong' }) }
              : {}),
          });
          statuses.push(status);
        }
        expect(new Set(statuses)).toEqual(new Set([401]));
        expect(asked.slice(before).filter((path) => path !== '/readyz')).toEqual([]);
      } finally {
        await proxy.stop();
        unready.close();
      }
    },
  );
});
