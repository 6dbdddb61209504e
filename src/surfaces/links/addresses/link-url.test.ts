import { describe, expect, test } from 'vitest';
import { createUrlRules } from './link-url.ts';
import { withUtm } from '../creation/link-route.ts';

const check = (url: string, { baseUrl = 'https://links.example', schemes = ['http', 'https'] } = {}) => {
  const errors = { shape: [], rejected: [] } as Parameters<ReturnType<typeof createUrlRules>['check']>[2];
  const host = createUrlRules({ baseUrl, schemes }).check(url, '/url', errors);
  return {
    host,
    codes: [
      ...errors.shape.map(({ code }) => `400 ${code}`),
      ...errors.rejected.map(({ code }) => `422 ${code}`),
    ],
  };
};

test.each([
  ['https://example.com/a?b#c', 'example.com'],
  ['HTTPS://EXAMPLE.COM.', 'example.com'],
  ['https://bücher.example/ü', 'xn--bcher-kva.example'],
  ['http://[2001:db8::1]:8080/', '[2001:db8::1]'],
  ['https://not-links.example/', 'not-links.example'],
  ['https://links.example.com/', 'links.example.com'],
  ['https://links.example:8443/', 'links.example'],
])('%s is taken', (url, host) => {
  expect(check(url)).toEqual({ host, codes: [] });
});

test.each([
  ['', '400 invalid_url'],
  ['example.com', '400 invalid_url'],
  ['//example.com', '400 invalid_url'],
  ['https://', '400 invalid_url'],
  ['https://exa mple.com/', '400 invalid_url'],
  ['https://example.com/\n', '400 invalid_url'],
  ['java\tscript:alert(1)', '400 invalid_url'],
  ['\u0001https://example.com/', '400 invalid_url'],
  [`https://example.com/${'a'.repeat(4_100)}`, '400 invalid_url'],
  [`https://example.com/${'ü'.repeat(1_000)}`, '400 invalid_url'],
  ['ftp://example.com/', '400 invalid_url'],
  ['javascript:alert(1)', '422 scheme_not_allowed'],
  ['JavaScript:alert(1)', '422 scheme_not_allowed'],
  ['data:text/html,x', '422 scheme_not_allowed'],
  ['vbscript:x', '422 scheme_not_allowed'],
  ['blob:https://example.com/x', '422 scheme_not_allowed'],
  ['file:///etc/passwd', '422 scheme_not_allowed'],
  ['https://user:secret@example.com/', '422 credentials_in_url'],
  ['https://user@example.com/', '422 credentials_in_url'],
  ['https://links.example/launch', '422 link_loop'],
  ['http://links.example/launch', '422 link_loop'],
  ['https://LINKS.example.:443/', '422 link_loop'],
  ['https://ｌinks.example/', '422 link_loop'],
])('%s is refused', (url, code) => {
  expect(check(url)).toEqual({ host: null, codes: [code] });
});

test('what is wrong with blanks is said', () => {
  const detail = (url: string) => {
    const errors = { shape: [], rejected: [] } as Parameters<ReturnType<typeof createUrlRules>['check']>[2];
    createUrlRules({ baseUrl: 'https://links.example', schemes: ['https'] }).check(url, '/url', errors);
    return errors.shape[0]!.detail;
  };
  expect(detail('https://example.com/a b')).toBe(
    'must not contain spaces or line breaks; encode a space as %20',
  );
  expect(detail(' https://example.com/')).toBe('must not begin or end with a space');
  expect(detail('example.com')).toBe('must be an absolute URL with https');
});

test.each([
  'http://localhost:3000/a',
  'http://LOCALHOST.:3000/',
  'http://127.0.0.1:3000/',
  'http://127.1:3000/',
  'http://2130706433:3000/',
  'http://0x7f.1:3000/',
  'http://0.0.0.0:3000/',
  'http://[::1]:3000/',
  'http://[::ffff:127.0.0.1]:3000/',
  'http://app.localhost:3000/',
  'https://localhost:3000/',
])('%s is the server itself where that is at loopback', (url) => {
  expect(check(url, { baseUrl: 'http://localhost:3000' }).codes).toEqual(['422 link_loop']);
});

test('another port of loopback is another server', () => {
  expect(check('http://localhost:4000/', { baseUrl: 'http://localhost:3000' }).codes).toEqual([]);
});

test('a scheme that the operator lets through is taken, but none that runs code', () => {
  const schemes = ['https', 'myapp', 'mailto', 'javascript'];
  expect(check('myapp://open/x', { schemes }).codes).toEqual([]);
  expect(check('mailto:a@example.com', { schemes }).codes).toEqual([]);
  expect(check('http://example.com/', { schemes }).codes).toEqual(['400 invalid_url']);
  expect(check('javascript:alert(1)', { schemes }).codes).toEqual(['422 scheme_not_allowed']);
});

describe('UTM parameters', () => {
  test.each([
    ['https://e.com/', 'https://e.com/?utm_source=a%20b'],
    [
      'https://e.com/?x=1%20+2&utm_source=old&UTM_source=kept#f',
      'https://e.com/?x=1%20+2&UTM_source=kept&utm_source=a%20b#f',
    ],
    ['https://e.com/?utm%5Fsource=old', 'https://e.com/?utm_source=a%20b'],
    ['https://e.com/#?utm_source=in', 'https://e.com/?utm_source=a%20b#?utm_source=in'],
    ['https://e.com/?%zz=1', 'https://e.com/?%zz=1&utm_source=a%20b'],
  ])('of %s', (url, final) => {
    expect(withUtm(url, { source: 'a b', medium: null })).toBe(final);
  });
});
