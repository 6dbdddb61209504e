import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../../test/support/patience.ts';
import { withStillClock } from '../../../../../test/support/still-clock.ts';
import { outcome, getToken } from '../../../../../test/support/workspaces.ts';
import { GITHUB, SLACK, STANDARD_WEBHOOKS } from '../authentication/published-examples.ts';
import {
  type IngressWorld,
  SIGN,
  startIngress,
} from '../../../../../test/support/automation/publishing-endpoints/ingress.ts';

let world: IngressWorld;
beforeAll(async () => {
  world = await startIngress({
    WORKSPACE_LIMITS: 'publishing_endpoints=400',
    TRUST_PROXY: '127.0.0.1',
  });
});
afterAll(() => world.app.stop());

const JSON_TYPE = { 'content-type': 'application/json' };
const SECRET = {
  github: 'a secret of mine',
  stripe: 'whsec_asStripeWouldMakeIt',
  slack: SLACK.secret,
  standard_webhooks: STANDARD_WEBHOOKS.secret,
  hmac: 'a secret of mine',
} as const;
type Scheme = keyof typeof SECRET;
const SCHEMES = Object.keys(SECRET) as Scheme[];

const signed = (scheme: Scheme, more: object = {}, secret: string = SECRET[scheme]) =>
  world.endpoint({
    type: 'signature',
    scheme,
    secret,
    ...(scheme === 'hmac' ? { hmac: { header: 'X-Proof' } } : {}),
    ...more,
  });

/** A request whose body is held back until the test releases it. */
function slowly(url: string, headers: Record<string, string>, body: string) {
  const sent = httpRequest(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  const answered = new Promise<[number | undefined, string]>((resolve, reject) => {
    sent.on('error', reject).on('response', async (response) => {
      const chunks = await response.toArray();
      resolve([response.statusCode, JSON.parse(Buffer.concat(chunks).toString()).code]);
    });
  });
  sent.write(body.slice(0, 3));
  return {
    answered,
    finish: () => {
      sent.end(body.slice(3));
      return answered;
    },
  };
}

/** Tries until a rate is reached, however slow the machine is. @returns the statuses */
const untilLimited = (attempt: (nth: number) => Promise<{ status: number }>): Promise<number[]> =>
  withStillClock(async () => {
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 1_000) {
      const lot = Array.from({ length: 30 }, (_, nth) => attempt(statuses.length + nth));
      statuses.push(...(await Promise.all(lot)).map(({ status }) => status));
    }
    return statuses;
  });

describe('a secret address', () => {
  test('takes JSON, forms, parts and text from whoever knows it', async () => {
    const { id, url } = await world.endpoint({ type: 'secret_url' });
    const parts = new FormData();
    parts.append('title', 'Hello');
    for (const [body, headers, payload] of [
      ['{"title": "Hello"}', JSON_TYPE, { title: 'Hello' }],
      [
        'title=Hello&tags=a&tags=b',
        { 'content-type': 'application/x-www-form-urlencoded' },
        { title: 'Hello', tags: ['a', 'b'] },
      ],
      [parts, {}, { title: 'Hello' }],
      ['Hello', { 'content-type': 'text/plain' }, { text: 'Hello' }],
      ['', {}, {}],
    ] as const) {
      const {
        status,
        body: publication,
        headers: answered,
      } = await world.post(`${url}?from=test`, body, headers);
      expect([status, publication.errors]).toEqual([202, undefined]);
      expect(publication).toMatchObject({
        object: 'publication',
        endpoint_id: id,
        status: 'received',
        source: 'secret_url',
        results: [],
        created_by: id,
      });
      expect(answered.get('cache-control')).toBe('no-store');
      const input = await world.input(publication.id);
      expect([input.payload, input.query]).toEqual([payload, { from: 'test' }]);
    }
    expect(await world.count(id)).toBe(5);
  });

  test('shows templates no header that proves who sent it', async () => {
    const { url } = await world.endpoint({ type: 'secret_url' });
    const { body } = await world.post(`${url}?token=x&a=1`, '{}', {
      ...JSON_TYPE,
      authorization: 'Bearer x',
      'x-forwarded-for': '198.51.100.7',
      'x-event': 'made',
    });
    const { headers, query } = await world.input(body.id);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-event': 'made' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['authorization']));
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-forwarded-for']));
    expect(query).toEqual({ a: '1' });
  });

  test('that was rotated counts for as long as was said', async () => {
    const { id, url } = await world.endpoint({ type: 'secret_url' });
    const rotate = async (seconds: number): Promise<string> => {
      const { body } = await world.call(`/publishing-endpoints/${id}/rotate`, { overlap_seconds: seconds });
      return world.reach(body.url);
    };
    const second = await rotate(60);
    expect(await world.post(url, '{}', JSON_TYPE)).toHaveStatus(202);
    expect(await world.post(second, '{}', JSON_TYPE)).toHaveStatus(202);
    const third = await rotate(0);
    expect(outcome(await world.post(second, '{}', JSON_TYPE))).toEqual([404, 'not_found']);
    expect(await world.post(third, '{}', JSON_TYPE)).toHaveStatus(202);
  });

  test('is one no more while its body still comes, once it is rotated or disabled', async () => {
    const { id, url } = await world.endpoint({ type: 'secret_url' });
    const during = slowly(url, JSON_TYPE, '{"a": 1}');
    await world.call(`/publishing-endpoints/${id}/rotate`, { overlap_seconds: 0 });
    expect(await during.finish()).toEqual([404, 'not_found']);
    expect(await world.count(id)).toBe(0);
  });

  test('leads nowhere that is disabled, deleted, takes keys, or never was', async () => {
    const disabled = await world.endpoint({ type: 'secret_url' });
    await world.call(`/publishing-endpoints/${disabled.id}`, { enabled: false }, 'PATCH');
    const deleted = await world.endpoint({ type: 'secret_url' });
    await world.call(`/publishing-endpoints/${deleted.id}`, undefined, 'DELETE');
    const bearer = await world.endpoint({ type: 'bearer' });
    const details = new Set<string>();
    for (const url of [
      disabled.url,
      deleted.url,
      `${world.app.base}/in/${bearer.id}`,
      `${world.app.base}/in/${disabled.id}`,
      `${world.app.base}/in/${'A'.repeat(43)}`,
      `${world.app.base}/in/`,
      `${disabled.url}/more`,
    ]) {
      const answer = await world.post(url, '{}', JSON_TYPE);
      expect(outcome(answer)).toEqual([404, 'not_found']);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      details.add(answer.body.detail);
    }
    expect(details.size).toBe(1);
  });
});

describe('signatures', () => {
  test.each(SCHEMES)('by %s: what is signed is published; a byte changed, nothing', async (scheme) => {
    const { id, url } = await signed(scheme);
    expect(url).toBe(`${world.app.base}/in/${id}`);
    const body = '{"id": "evt_1", "event_id": "Ev1", "n": 1}';
    const headers = { ...JSON_TYPE, ...SIGN[scheme]!(SECRET[scheme], body) };
    const first = await world.post(url, body, headers);
    expect([first.status, first.body.source]).toEqual([202, 'signature']);
    const input = await world.input(first.body.id);
    expect(input.payload).toEqual(JSON.parse(body));
    expect(JSON.stringify(input.headers)).not.toMatch(/signature|x-proof/);

    const rejected = await world.post(url, body.replace('1', '2'), headers);
    expect(outcome(rejected)).toEqual([401, 'signature_invalid']);
    expect(rejected.headers.get('www-authenticate')).toBe('Signature');
    expect(outcome(await world.post(url, body, JSON_TYPE))).toEqual([401, 'signature_invalid']);
    expect(await world.count(id)).toBe(1);

    // Requests that the platform gives the same ID are not published again.
    const again = await world.post(url, body, { ...JSON_TYPE, ...SIGN[scheme]!(SECRET[scheme], body) });
    expect(again.body).toMatchObject(
      scheme === 'hmac' ? { status: 'received' } : { status: 'duplicate', duplicate_of: first.body.id },
    );
  });

  test('of a packed body are over its bytes as they are sent', async () => {
    const { url } = await signed('github');
    const text = '{"n": 1}';
    const packed = gzipSync(text);
    const send = (over: string | Buffer) => {
      const digest = createHmac('sha256', SECRET.github).update(over).digest('hex');
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip', 'x-hub-signature-256': `sha256=${digest}` };
      return world.post(url, packed, headers);
    };
    expect(outcome(await send(text))).toEqual([401, 'signature_invalid']);
    const { status, body } = await send(packed);
    expect(status).toBe(202);
    expect((await world.input(body.id)).payload).toEqual({ n: 1 });
  });

  test("GitHub's published example is published; others, signed years ago, are told so", async () => {
    for (const [example, expected] of [
      [GITHUB, [202, undefined]],
      [SLACK, [401, 'signature_expired']],
      [STANDARD_WEBHOOKS, [401, 'signature_expired']],
    ] as const) {
      const { url } = await signed(example.rules.scheme, {}, example.secret);
      const headers = { ...example.headers, 'content-type': example.contentType };
      const answer = await world.post(url, example.body, headers);
      expect(outcome(answer)).toEqual(expected);
    }
  });

  test('count with the secret before for a while after a rotation, and not beyond', async () => {
    const { id, url } = await signed('github');
    const rotated = await world.call(`/publishing-endpoints/${id}/rotate`, { overlap_seconds: 60 });
    const { secret } = rotated.body;
    const send = async (by: string, nth: number) =>
      (await world.post(url, '{}', { ...JSON_TYPE, ...SIGN['github']!(by, '{}', `d-${nth}`) })).status;
    expect([await send(SECRET.github, 1), await send(secret, 2)]).toEqual([202, 202]);
    await world.rows(
      "update publishing_endpoints set previous_secret_until = now() - interval '1 second' where previous_secret_until is not null",
    );
    expect([await send(SECRET.github, 3), await send(secret, 4)]).toEqual([401, 202]);
    const last = (await world.call(`/publishing-endpoints/${id}/rotate`, { overlap_seconds: 0 })).body.secret;
    expect([await send(secret, 5), await send(last, 6)]).toEqual([401, 202]);
  });

  test('are checked anew where the secret is changed while the body comes', async () => {
    const { id, url } = await signed('github');
    const headers = { ...JSON_TYPE, ...SIGN['github']!(SECRET.github, '{"a": 1}') };
    const during = slowly(url, headers, '{"a": 1}');
    await world.call(`/publishing-endpoints/${id}/rotate`, { overlap_seconds: 0 });
    expect(await during.finish()).toEqual([401, 'signature_invalid']);
    expect(await world.count(id)).toBe(0);
  });

  test("Slack's question whether somebody listens is answered, where Slack asks it", async () => {
    const { id, url } = await signed('slack');
    const body = JSON.stringify({ type: 'url_verification', token: 'x', challenge: '3eZbrw1aB' });
    const answer = await world.post(url, body, { ...JSON_TYPE, ...SIGN['slack']!(SECRET.slack, body) });
    expect([answer.status, answer.body]).toEqual([200, { challenge: '3eZbrw1aB' }]);
    expect(outcome(await world.post(url, body, JSON_TYPE))).toEqual([401, 'signature_invalid']);
    expect(await world.count(id)).toBe(0);
  });

  test('of Slack that come again are known, also of commands, which have no ID', async () => {
    const { url } = await signed('slack');
    const body = 'command=%2Fsay&text=hello&trigger_id=1.2.3';
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...SIGN['slack']!(SECRET.slack, body),
    };
    const first = await world.post(url, body, headers);
    const again = await world.post(url, body, headers);
    expect([first.status, again.status, again.body.status, again.body.duplicate_of]).toEqual([
      202,
      202,
      'duplicate',
      first.body.id,
    ]);
  });

  test('that are wrong are not tried for ever by one address; other endpoints go on', async () => {
    const { url } = await signed('hmac');
    const headers = { ...JSON_TYPE, 'x-proof': '0'.repeat(64) };
    const tried = await untilLimited(() => world.post(url, '{}', headers));
    expect(new Set(tried)).toEqual(new Set([401, 429]));
    const other = await signed('hmac');
    expect(
      (await world.post(other.url, '{}', { ...JSON_TYPE, ...SIGN['hmac']!(SECRET.hmac, '{}') })).status,
    ).toBe(202);
  });
});

describe('whatever comes to it', () => {
  test('other methods are told which are taken, whether there is an endpoint or not', async () => {
    const { url } = await world.endpoint({ type: 'secret_url' });
    for (const address of [url, `${world.app.base}/in/${'B'.repeat(43)}`]) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(address, { method });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'HEAD, POST, OPTIONS']);
        expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
      }
      const options = await fetch(address, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'HEAD, POST, OPTIONS']);
    }
  });

  test('what can not be read is refused, and nothing of it is kept', async () => {
    const { id, url } = await world.endpoint({ type: 'secret_url' });
    for (const [body, type, expected] of [
      ['{"a":', 'application/json', [400, 'invalid_json']],
      ['<a/>', 'application/xml', [415, 'unsupported_media_type']],
      ['x', 'multipart/form-data; boundary=x', [415, 'unsupported_media_type']],
      [' '.repeat(1024 * 1024 + 1), 'text/plain', [413, 'payload_too_large']],
    ] as const) {
      const answer = await world.post(url, body, { 'content-type': type });
      expect(outcome(answer)).toEqual(expected);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
    expect(await world.post(url, `"${' '.repeat(900_000)}"`, JSON_TYPE)).toHaveStatus(422); // a text may not be so long
    expect(await world.count(id)).toBe(1); // as rejected
    const chunked = await fetch(url, {
      method: 'POST',
      headers: JSON_TYPE,
      body: new Response(' '.repeat(1024 * 1024 + 1)).body,
      duplex: 'half',
    });
    expect(chunked).toHaveStatus(413);
  });

  test('what can not be stored is replaced and counted; the signature and the rest stay', async () => {
    const { url } = await signed('github', {}, SECRET.github);
    const body = '{"a\\u0000": "x\\ud800y", "pair": "\\ud83d\\ude00", "kept": "\\\\u0000", "n": 10.00}';
    const answer = await world.post(url, body, {
      ...JSON_TYPE,
      ...SIGN['github']!(SECRET.github, body),
    });
    expect([answer.status, answer.body.replaced_characters]).toEqual([202, 2]);
    const shown = await world.call(`/publications/${answer.body.id}`);
    expect(shown.body).toMatchObject({
      replaced_characters: 2,
      payload: { 'a\ufffd': 'x\ufffdy', pair: '😀', kept: '\\u0000' },
    });
  });

  test('a replay counts what was replaced in the request', async () => {
    const { url } = await world.endpoint({ type: 'secret_url' }, { filter: 'payload.none' });
    const { body } = await world.post(url, '{"a": "\\u0000"}', JSON_TYPE);
    expect(body).toMatchObject({ status: 'canceled', replaced_characters: 1 });
    const replay = await world.call(`/publications/${body.id}/replay`, {});
    expect(replay.body).toMatchObject({ replay_of: body.id, replaced_characters: 1 });
  });

  test('keys to deduplicate by are of the replaced text', async () => {
    const { url } = await world.endpoint({ type: 'secret_url' }, { dedupe_key: '{{ payload.id }}' });
    const statuses = [];
    for (const id of ['a\\u0000', 'a\\ud800', 'a\\ufffd', 'a'])
      statuses.push((await world.post(url, `{"id": "${id}"}`, JSON_TYPE)).body.status);
    expect(statuses).toEqual(['received', 'duplicate', 'duplicate', 'received']);
  });

  test('an endpoint takes no more than its rate; who does not sign uses none of it up', async () => {
    // No token refills while a slow machine runs the test.
    const rate = { rate_limit: { limit: 1, burst: 2 } };
    const { url } = await world.endpoint({ type: 'secret_url' }, rate);
    const answers = [];
    for (let nth = 0; nth < 4; nth++) answers.push(await world.post(url, '{}', JSON_TYPE));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429, 429]);
    expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"default";q=1;w=60;burst=2');
    expect(outcome(answers[3]!)).toEqual([429, 'rate_limited']);
    expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0);

    const guarded = await world.endpoint(
      { type: 'signature', scheme: 'github', secret: SECRET.github },
      rate,
    );
    for (let nth = 0; nth < 4; nth++)
      expect(
        (await world.post(guarded.url, '{}', { ...JSON_TYPE, ...SIGN['github']!('a guess', '{}') })).status,
      ).toBe(401);
    const right = { ...JSON_TYPE, ...SIGN['github']!(SECRET.github, '{}') };
    expect(await world.post(guarded.url, '{}', right)).toHaveStatus(202);
  });

  test('a sender that insists on 200 gets 200, also for a duplicate; an error stays one', async () => {
    const { id, url } = await world.endpoint(
      { type: 'secret_url' },
      { success_status: 200, dedupe_key: '{{ payload.id }}' },
    );
    for (const status of ['received', 'duplicate']) {
      const answer = await world.post(url, '{"id": 1}', JSON_TYPE);
      expect([answer.status, answer.body]).toEqual([
        200,
        expect.objectContaining({ object: 'publication', status }),
      ]);
    }
    expect(await world.post(url, '{"id":', JSON_TYPE)).toHaveStatus(400);
    expect(await world.count(id)).toBe(2);
  });

  test('neither tokens nor what proves a sender is in logs and metrics', async () => {
    const { url } = await world.endpoint({ type: 'secret_url' });
    await world.post(url, '{"a":', JSON_TYPE);
    await world.post(url, '{}', JSON_TYPE);
    const metrics = await (await fetch(`${world.app.base}/metrics`)).text();
    expect(metrics).toContain('/in/*');
    for (const text of [metrics, world.app.logged.join('\n')]) {
      expect(text).not.toContain(getToken(url));
      expect(text).not.toContain(SECRET.stripe);
    }
  });

  test('who sends bodies slowly is waited for in few of them, and others go on', async () => {
    const { id, url } = await world.endpoint({ type: 'secret_url' });
    const rejected: unknown[] = [];
    const slow = new Set(
      Array.from({ length: 60 }, () =>
        slowly(url, { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.1' }, '{"slow": 1}'),
      ),
    );
    for (const one of slow)
      void one.answered.then(([status]) => {
        if (status === 429 && slow.delete(one)) rejected.push(status);
      });
    // The others are held: their bodies are not all there.
    await vi.waitFor(() => expect(rejected).toHaveLength(10));
    const post = (address: string) => world.post(url, '{}', { ...JSON_TYPE, 'x-forwarded-for': address });
    expect(await post('192.0.2.1')).toHaveStatus(429);
    expect(await post('192.0.2.2')).toHaveStatus(202);
    const ended = await Promise.all([...slow].map((one) => one.finish()));
    expect(ended.map(([status]) => status)).toEqual(Array(50).fill(202));
    expect(await post('192.0.2.1')).toHaveStatus(202);
    expect(await world.count(id)).toBeGreaterThanOrEqual(52);
  });

  test('addresses are not guessed for ever by one caller, whom others who share its address do not suffer for', async () => {
    const { url } = await world.endpoint({ type: 'secret_url' });
    expect(await world.post(url, '{}', JSON_TYPE)).toHaveStatus(202);
    const guess = (nth: number) =>
      world.post(`${world.app.base}/in/${String(nth).padStart(43, 'C')}`, '{}', JSON_TYPE);
    expect(new Set(await untilLimited(guess))).toEqual(new Set([404, 429]));
    expect(await world.post(url, '{}', JSON_TYPE)).toHaveStatus(202);
  });
});

describe('invalid requests', () => {
  // From a caller who has not used up a limit above.
  const SENT = { ...JSON_TYPE, 'x-forwarded-for': '203.0.113.90' };

  test('are counted at the endpoint, the last one with its error but not with what was sent', async () => {
    const door = await world.endpoint({ type: 'secret_url' });
    const shown = async () => (await world.call(`/publishing-endpoints/${door.id}`)).body;
    expect(await world.post(door.url, '{"a":1}', SENT)).toHaveStatus(202);
    await world.post(door.url, '<a/>', { ...SENT, 'content-type': 'image/png' });
    // The parser's message would quote it, and the database could not store it.
    await world.post(door.url, '{"a":\0}', SENT);
    const { body } = await world.post(door.url, '{"card": 4242x}', SENT);
    expect(body.code).toBe('invalid_json');
    await vi.waitFor(async () => expect((await shown()).invalid_requests).toBe(3), PATIENCE);
    const { last_invalid_request: last } = await shown();
    expect(last).toEqual({
      code: 'invalid_json',
      detail: expect.stringContaining('JSON'),
      created_at: expect.any(String),
    });
    expect(last.detail).not.toContain('4242');
  });

  test('of a wrong signature are counted, those that are none of an endpoint are not', async () => {
    const door = await signed('github');
    await world.post(door.url, '{}', { ...SENT, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` });
    await vi.waitFor(async () => {
      const { body } = await world.call(`/publishing-endpoints/${door.id}`);
      expect(body).toMatchObject({
        invalid_requests: 1,
        last_invalid_request: { code: 'signature_invalid' },
        received: 0,
      });
    }, PATIENCE);
  });
});
