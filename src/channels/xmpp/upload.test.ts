/** Uploads to hostile servers: the upload address that they give is not trusted. */
import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allowing, startEgress } from '../../../test/support/egress.ts';
import { getFile } from '../../../test/conformance/suite/samples.ts';
import { DriverError } from '../contract/driver-error.ts';
import { ME, toStanza } from '../../../test/support/channels/xmpp/stanza.ts';
import { scriptedStream } from '../../../test/support/channels/xmpp/scripted-stream.ts';
import { createUpload } from './upload.ts';

const UPLOAD = 'urn:xmpp:http:upload:0';
const soon = () => AbortSignal.timeout(10_000);

interface Given {
  /** `<put>` and `<get>` of the slot. */
  slot: string;
  allow?: string;
  allowsPlain?: boolean;
  features?: readonly string[];
  fault?: DriverError;
}

function start({ slot, allow = '127.0.0.1', allowsPlain = true, features = [UPLOAD], fault }: Given) {
  const asked: string[] = [];
  const stream = scriptedStream(
    ME,
    async (payload) => {
      asked.push(payload.toString());
      if (payload.getName() === 'query')
        return toStanza(
          "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='up.montague.lit'/></query>",
        );
      if (fault) throw fault;
      return toStanza(`<slot xmlns='${UPLOAD}'>${slot}</slot>`);
    },
    features,
  );
  const context = { egress: startEgress({ allow: allowing(allow) }) };
  return { upload: createUpload({ stream, context, allowsPlain }), asked };
}

/** Starts a server that receives files and responds with `status`. */
async function receiver(status = 201) {
  const got: { headers: http.IncomingHttpHeaders; bytes: number; path: string }[] = [];
  const server = http.createServer((request, answer) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      got.push({ headers: request.headers, bytes, path: request.url! });
      answer.writeHead(status, { location: 'http://169.254.169.254/' }).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/b`;
  return { got, url, slot: `<put url='${url}'/><get url='${url}'/>` };
}
const file = (fileName: string | null = 'a.png') => getFile('image', Buffer.alloc(70_000, 1), { fileName });

describe('an upload', () => {
  test('streams the file to the address from the server with only the allowed headers', async () => {
    const { got, url } = await receiver();
    const header = (name: string, value: string) => `<header name='${name}'>${value}</header>`;
    const { upload, asked } = start({
      slot: `<put url='${url}'>${header('Authorization', 'Bearer x')}${header('Host', 'evil')}${header('Cookie', 'a=b&#10;c: d')}</put><get url='https://files.lit/a%20b.png'/>`,
    });
    expect(await upload(file('../a b\n.png'), soon())).toEqual({
      url: 'https://files.lit/a%20b.png',
      name: '.._a b_.png',
      mimeType: 'image/png',
      size: 70_000,
    });
    expect(got).toMatchObject([{ bytes: 70_000, path: '/a/b' }]);
    expect(got[0]!.headers).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'image/png',
      'content-length': '70000',
    });
    expect(got[0]!.headers['cookie']).toBeUndefined();
    expect(got[0]!.headers.host).toMatch(/^127\.0\.0\.1/);
    expect(asked.at(-1)).toContain('filename=".._a b_.png" size="70000" content-type="image/png"');
  });

  test('does not go to a forbidden address or follow a redirect', async () => {
    const { slot, got } = await receiver();
    const { upload } = start({ slot, allow: '192.0.2.1' });
    await expect(upload(file(), soon())).rejects.toMatchObject({ kind: 'rejected', code: 'upload_failed' });
    expect(got).toEqual([]);
    const redirecting = await receiver(302);
    await expect(start({ slot: redirecting.slot }).upload(file(), soon())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'upload_failed',
    });
  });

  test.each([
    ['', ''],
    ["<put url='https://a.lit/'/>", 'no link'],
    ["<get url='https://a.lit/'/>", 'no place'],
    ["<put url='http://a.lit/'/><get url='http://a.lit/'/>", 'plain http'],
    ["<put url='file:///etc/passwd'/><get url='https://a.lit/'/>", 'no web address'],
    ["<put url='https://u:p@a.lit/'/><get url='https://a.lit/'/>", 'a password'],
    [`<put url='https://a.lit/${'a'.repeat(5_000)}'/><get url='https://a.lit/'/>`, 'too long'],
  ])('fails without usable addresses (%#)', async (slot) => {
    const { upload } = start({ slot, allowsPlain: false });
    await expect(upload(file(), soon())).rejects.toMatchObject({ kind: 'rejected', code: 'upload_failed' });
  });

  test.each([
    [413, 'rejected', 'too_large'],
    [403, 'rejected', 'upload_failed'],
    [429, 'busy', 'upload_failed'],
    [503, 'busy', 'upload_failed'],
  ])('with a response of %i fails as %s', async (status, kind, code) => {
    const { slot } = await receiver(status);
    await expect(start({ slot }).upload(file(), soon())).rejects.toMatchObject({ kind, code });
  });

  test('never fails as unknown', async () => {
    const faults: [DriverError, string, string][] = [
      [new DriverError('unknown', 'no_answer', 'x'), 'busy', 'upload_failed'],
      [new DriverError('rejected', 'not_acceptable', 'x'), 'rejected', 'too_large'],
      [new DriverError('rejected', 'forbidden', 'x'), 'rejected', 'upload_refused'],
      [new DriverError('busy', 'resource_constraint', 'x'), 'busy', 'resource_constraint'],
    ];
    for (const [fault, kind, code] of faults)
      await expect(start({ slot: '', fault }).upload(file(), soon())).rejects.toMatchObject({ kind, code });
    await expect(start({ slot: '', features: [] }).upload(file(), soon())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'upload_unavailable',
    });
  });

  test('names a file without a name by its type, and cuts a long name before its extension', async () => {
    const { slot } = await receiver();
    const { upload } = start({ slot });
    expect((await upload(file(null), soon())).name).toBe('image.png');
    expect((await upload(file(`${'ü'.repeat(300)}.png`), soon())).name).toBe(`${'ü'.repeat(116)}.png`);
  });
});
