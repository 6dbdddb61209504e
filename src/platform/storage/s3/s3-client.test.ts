/** Against a server that speaks S3, and the XML that others write. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../config/config.ts';
import { assertStoreWorks } from '../../../surfaces/messaging/media/s3-check.ts';
import { BUCKET, type S3Server, startS3 } from '../../../../test/support/s3-server.ts';
import { createS3Client, type S3Client } from './s3-client.ts';
import { readS3Url, type S3Location } from '../../config/s3-url.ts';
import { readDeleteErrors, readErrorMessage, readListing, writeDelete } from './s3-xml.ts';

let s3: S3Server;
let client: S3Client;
beforeAll(async () => {
  s3 = await startS3();
  client = createS3Client(getLocation(s3.url()));
});
afterAll(async () => {
  await client.close();
  await s3.stop();
});

const getLocation = (url: string): S3Location => readS3Url(url) as S3Location;
const put = (key: string, bytes: Buffer) =>
  client.put(key, {
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    open: () => bytes,
  });

describe('objects', () => {
  test('come back whole and in part, and go', async () => {
    const bytes = randomBytes(5000);
    await put('a/b', bytes);
    const read = async (start: number, length: number) =>
      Buffer.from(await (await client.get('a/b', start, length))!.arrayBuffer());
    expect((await read(0, 5000)).equals(bytes)).toBe(true);
    expect((await read(10, 20)).equals(bytes.subarray(10, 30))).toBe(true);
    expect((await read(4999, 1)).equals(bytes.subarray(4999))).toBe(true);
    expect([await client.getSize('a/b'), await client.getSize('a/c')]).toEqual([5000, null]);
    await client.remove('a/b');
    await client.remove('a/b');
    expect([await client.get('a/b', 0, 1), await client.getSize('a/b')]).toEqual([null, null]);
  });

  test('are listed in pages, and deleted many at once', async () => {
    const keys = Array.from({ length: 7 }, (_, at) => `list/${at}`);
    for (const key of keys) await put(key, Buffer.from('x'));
    await put('elsewhere', Buffer.from('x'));
    const listed: string[] = [];
    let pages = 0;
    for (let token: string | null = null; ; pages++) {
      const page = await client.list('list/', { token, max: 3 });
      for (const { key, modifiedAt } of page.objects) {
        listed.push(key);
        expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(600_000);
      }
      token = page.nextToken;
      if (token === null) break;
    }
    expect([listed, pages]).toEqual([keys, 2]);
    await client.removeAll([...keys, 'list/never']);
    expect((await client.list('')).objects.map(({ key }) => key)).toEqual(['elsewhere']);
  });
});

test('XML of stores is read, and what is none is an error', () => {
  const listing = (inner: string) =>
    `<?xml version="1.0"?>\n<ListBucketResult xmlns="x">${inner}</ListBucketResult>`;
  const object =
    '<Contents><Key>p/a&amp;&#x62;&lt;</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>';
  expect(readListing(listing(`<IsTruncated>false</IsTruncated>${object}`), 'p/')).toEqual({
    objects: [{ key: 'a&b<', modifiedAt: new Date('2026-01-01T00:00:00Z') }],
    nextToken: null,
  });
  const more = '<IsTruncated>true</IsTruncated>';
  expect(readListing(listing(`${more}<NextContinuationToken>1+/=&#43;</NextContinuationToken>`), '')).toEqual(
    {
      objects: [],
      nextToken: '1+/=+',
    },
  );
  expect(() => readListing(listing(more), '')).toThrow('not how to get them');
  expect(() => readListing('<html>Welcome to nginx</html>', '')).toThrow('something else');
  const fault = '<Error><Code>SlowDown</Code><Message>Reduce\nyour rate</Message></Error>';
  expect([readErrorMessage(fault), readErrorMessage('<html>')]).toEqual(['SlowDown: Reduce your rate', '']);
  const gone = '<Error><Code>NoSuchKey</Code></Error>';
  expect(readDeleteErrors(`<DeleteResult>${gone}${fault}</DeleteResult>`)).toEqual([
    'SlowDown: Reduce your rate',
  ]);
  expect(writeDelete(['a', '<&>'])).toContain(
    '<Object><Key>a</Key></Object><Object><Key>&#60;&#38;&#62;</Key></Object>',
  );
});

describe('S3_URL', () => {
  test.each([
    [
      'https://KEY:SEC%2FRET@s3.eu-west-1.amazonaws.com/bucket',
      'https://s3.eu-west-1.amazonaws.com/bucket',
      '',
      null,
    ],
    ['http://KEY:SEC%2FRET@minio:9000/bucket/a/b/', 'http://minio:9000/bucket', 'a/b/', null],
    [
      'https://KEY:SEC%2FRET@r2.example/bucket?region=auto&style=host',
      'https://bucket.r2.example',
      '',
      'auto',
    ],
  ])('%s', (url, endpoint, prefix, region) => {
    expect(readConfig({ S3_URL: url }).S3_URL).toMatchObject({
      endpoint,
      prefix,
      region,
      accessKeyId: 'KEY',
      secretAccessKey: 'SEC/RET',
    });
  });

  test.each([
    'https://KEY:SECRET/x@host/bucket',
    's3://KEY:SECRET@host/bucket',
    'https://KEY@host/bucket/SECRET',
    'https://host/bucket',
    'https://KEY:SECRET@host/',
    'https://KEY:SECRET@host/b',
    'https://KEY:SECRET@host/bucket//x',
    'https://KEY:SECRET@host/bucket/a%20b',
    'https://KEY:SECRET@host/bucket?secret=SECRET',
    'https://KEY:SECRET@host/bucket?style=SECRET',
    'https://KEY:SECRET%@host/bucket',
    'SECRET',
  ])('refuses %s, and does not repeat it', (url) => {
    const read = () => readConfig({ S3_URL: url });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/^S3_URL /);
    expect(read).not.toThrow(/SECRET(?!@host)/);
  });

  test.each<[string, Parameters<S3Server['url']>[0], RegExp]>([
    ['a wrong secret', { secret: 'nonsense' }, /403 \(SignatureDoesNotMatch/],
    ['an unknown key', { key: 'nonsense' }, /403 \(InvalidAccessKeyId/],
    ['no such bucket', { bucket: 'no-such-bucket' }, /404 \(NoSuchBucket/],
    ['nobody there', { port: 1 }, /cannot be reached \(ECONNREFUSED\)/],
  ])('is tried at the start: %s', async (_what, options, expected) => {
    const tried = assertStoreWorks(getLocation(s3.url(options)));
    await expect(tried).rejects.toThrow(ConfigError);
    await expect(tried).rejects.toThrow(expected);
    await expect(tried).rejects.toThrow(/^S3_URL: [^\n]*$/);
    await expect(tried).rejects.not.toThrow(/nonsense@|S3RVER/);
  });

  test('is tried at the start, and nothing of it stays', async () => {
    await assertStoreWorks(getLocation(s3.url()));
    expect((await client.list('trials/')).objects).toEqual([]);
    expect(getLocation(s3.url()).name).toBe(`http://127.0.0.1:${s3.port}/${BUCKET}`);
  });
});
