import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig, settingsHelp, SETTINGS } from './config.ts';

describe('a wrong setting is told by its name', () => {
  test.each([
    [{ PORT: '65536' }, /PORT is "65536"/],
    [{ PORT: '3e3x' }, /PORT/],
    [{ BASE_URL: 'localhost:3000' }, /BASE_URL/],
    [{ BASE_URL: 'https://a.example/path' }, /BASE_URL must have no path: https:\/\/a\.example/],
    [{ HOST: '0.0.0.0' }, /BASE_URL is required/],
    [{ DATABASE_DIRECT_URL: 'postgres://h/db' }, /^DATABASE_DIRECT_URL .* DATABASE_URL, which is not set$/],
    [{ SIGN_UP: 'closed' }, /SIGN_UP is "closed"; it must be one of: first, open, invite/],
    [{ TRUST_PROXY: 'true' }, /TRUST_PROXY has "true"/],
    [{ TRUST_PROXY: '10.0.0.0/8,proxy.example' }, /TRUST_PROXY has "proxy\.example"/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /TRUST_PROXY/],
    [{ FAIRLEAD_SECRET: 'short' }, /FAIRLEAD_SECRET must have 32/],
    [{ DATABASE_URL: 'postgres://a/b' }, /FAIRLEAD_SECRET .* required with DATABASE_URL/],
    [{ DATABASE_URL: 'mysql://a/b' }, /DATABASE_URL/],
    [{ WORKSPACE_LIMITS: 'api_keys=many' }, /WORKSPACE_LIMITS \(api_keys\)/],
    [{ WORKSPACE_LIMITS: 'media_bytes=5%' }, /WORKSPACE_LIMITS \(media_bytes\) .* as 10GiB/],
  ])('%j', (env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });

  test('all at once', () => {
    expect(() => readConfig({ PORT: 'x', SIGN_UP: 'y' })).toThrow(/PORT.*\n.*SIGN_UP/);
  });
});

test('nothing need be set; then only this machine is served', () => {
  expect(readConfig({})).toMatchObject({
    PORT: 3000,
    HOST: '127.0.0.1',
    baseUrl: 'http://localhost:3000',
    baseUrlIsSet: false,
    loopbackOnly: true,
    TRUST_PROXY: [],
  });
});

test('WORKSPACE_LIMITS takes sizes for bytes', () => {
  const read = (limits: string) => readConfig({ WORKSPACE_LIMITS: limits }).WORKSPACE_LIMITS;
  expect(read('media=5, media_bytes=1.5GiB')).toEqual({ media: 5, media_bytes: 1.5 * 1024 ** 3 });
  expect(read('media_bytes=25000000000')).toEqual({ media_bytes: 25e9 });
  expect(read('media_bytes=0')).toEqual({ media_bytes: 0 });
});

test.each(['10.0.0.0/8', '127.0.0.1,::1', 'fd00::/8, 192.0.2.7'])('TRUST_PROXY takes %s', (value) => {
  expect(readConfig({ TRUST_PROXY: value }).TRUST_PROXY).toEqual(value.split(',').map((item) => item.trim()));
});

test('the help names every setting', () => {
  for (const name of Object.keys(SETTINGS)) expect(settingsHelp()).toContain(name);
});
