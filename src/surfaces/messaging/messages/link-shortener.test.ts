/** URLs of messages are found as a reader finds them, and replaced one for one. */
import { describe, expect, test } from 'vitest';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { cpuMs } from '../../../../test/support/cpu.ts';
import {
  findUrls,
  getUrls,
  type LinkShortener,
  MAX_LINKS,
  replaceUrls,
  shortenContents,
  type ShortenRequest,
} from './link-shortener.ts';

const urlsIn = (text: string): string[] => findUrls(text).map(({ url }) => url);

describe('URLs in a text', () => {
  test.each([
    ['See https://example.com/a.', ['https://example.com/a']],
    [
      'http://example.com, https://example.com/b?x=1&y=2#z!',
      ['http://example.com', 'https://example.com/b?x=1&y=2#z'],
    ],
    ['(https://example.com/a)', ['https://example.com/a']],
    ['(see https://en.wikipedia.org/wiki/Fair_(trade))', ['https://en.wikipedia.org/wiki/Fair_(trade)']],
    ['https://en.wikipedia.org/wiki/Fair_(trade).', ['https://en.wikipedia.org/wiki/Fair_(trade)']],
    [
      '[here](https://example.com/a), or <https://example.com/b>',
      ['https://example.com/a', 'https://example.com/b'],
    ],
    ['"https://example.com/q"…', ['https://example.com/q']],
    ['https://bücher.example/straße?größe=1', ['https://bücher.example/straße?größe=1']],
    ['https://例え.テスト/パス。 次', ['https://例え.テスト/パス']],
    ['HTTPS://EXAMPLE.COM/A', ['HTTPS://EXAMPLE.COM/A']],
    ['https://[2001:db8::1]:8080/x', ['https://[2001:db8::1]:8080/x']],
    ['*https://example.com/bold*', ['https://example.com/bold']],
    ['ftp://example.com javascript:alert(1) www.example.com xhttps://example.com https:// http://...', []],
    ['https://example.com/a\nhttps://example.com/b', ['https://example.com/a', 'https://example.com/b']],
    ['', []],
  ])('%s', (text, urls) => {
    expect(urlsIn(text)).toEqual(urls);
  });

  test('one is replaced where it stands, not where it begins another', () => {
    const short = new Map([
      ['https://example.com', 'https://s.example/1'],
      ['https://example.com/a', '$&'],
    ]);
    const text = 'https://example.com/ab https://example.com (https://example.com/a). https://example.com!';
    expect(replaceUrls(text, short)).toBe(
      'https://example.com/ab https://s.example/1 ($&). https://s.example/1!',
    );
  });

  test('a long text of nothing but beginnings and brackets is read in time', () => {
    const read = () => [
      urlsIn('https://'.repeat(8_000)),
      urlsIn(`https://example.com/${')'.repeat(60_000)}`),
    ];
    expect(cpuMs(read)).toBeLessThan(5_000);
  });
});

test('content is shortened for its message: each URL once, in body and caption, up to a bound', async () => {
  const asked: ShortenRequest[] = [];
  const shortener: LinkShortener = {
    measure: async () => new Map(),
    async shorten(_unit, _workspaceId, messages) {
      asked.push(...messages);
      return messages.map(({ urls }) => new Map(urls.map((url, nth) => [url, `https://s.example/${nth}`])));
    },
  };
  const about = { messageId: 'm', contactId: 'c', actorId: 'a' };
  const shortened = async (content: object) =>
    (await shortenContents(unit, shortener, 'w', [{ ...about, content, urls: getUrls(content) }]))[0];
  const unit = {} as Unit;
  const body = 'https://example.com/a and https://example.com/a, https://example.com/b';
  expect(await shortened({ body })).toEqual({
    body: 'https://s.example/0 and https://s.example/0, https://s.example/1',
  });
  expect(asked).toEqual([{ ...about, urls: ['https://example.com/a', 'https://example.com/b'] }]);
  expect(await shortened({ caption: 'https://example.com', media_id: 'x' })).toEqual({
    caption: 'https://s.example/0',
    media_id: 'x',
  });
  const plain = { body: 'no link', caption: null };
  expect(await shortened(plain)).toBe(plain);
  const many = Array.from({ length: 60 }, (_, n) => `https://example.com/${n}`).join(' ');
  await shortened({ body: many });
  expect(asked.at(-1)!.urls).toHaveLength(MAX_LINKS);
  const [none, two] = await shortenContents<{ body: string }>(unit, shortener, 'w', [
    { ...about, content: plain, urls: [] },
    { ...about, messageId: 'n', content: { body }, urls: getUrls({ body }) },
  ]);
  expect([none, two!.body]).toEqual([
    plain,
    'https://s.example/0 and https://s.example/0, https://s.example/1',
  ]);
  expect(asked.at(-1)).toEqual({
    ...about,
    messageId: 'n',
    urls: ['https://example.com/a', 'https://example.com/b'],
  });
});
