import { expect, test } from 'vitest';
import { generateSecret } from './crypto/api-key-secret.ts';
import { createLog } from './log.ts';

/** What one call writes. */
function logged(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLog({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) }));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0]!);
}

const HEADERS = {
  authorization: 'Bearer hush',
  'proxy-authorization': 'hush',
  cookie: 'hush',
  'set-cookie': ['hush'],
};

test('removes secrets from a logged object, at any depth', () => {
  const key = generateSecret();
  const line = logged((log) =>
    log.warn(
      { request: { headers: HEADERS, url: `/in/x?a=${key}` }, user_password: 'hush', api_token: 'hush' },
      'said',
    ),
  );
  expect(line).toMatchObject({
    msg: 'said',
    request: { url: '/in/x?a=fl_[removed]', headers: { cookie: '[removed]' } },
  });
  expect(JSON.stringify(line)).not.toMatch(/hush|fl_[0-9A-Za-z]/);
});

test('removes secrets from an error: its properties, its cause and its message', () => {
  const key = generateSecret();
  const cause = Object.assign(new Error(`the call with ${key} failed`), { headers: HEADERS });
  const error = Object.assign(new TypeError('fetch failed', { cause }), {
    code: 'ECONNRESET',
    request: { headers: HEADERS, origin: 'https://example.com' },
    other: Object.assign(new Error('inner'), { config: { headers: HEADERS } }),
  });
  const line = logged((log) => log.error({ err: error }, 'failed'));
  expect(line['err']).toMatchObject({
    type: 'TypeError',
    message: 'fetch failed: the call with fl_[removed] failed',
    code: 'ECONNRESET',
    request: { origin: 'https://example.com' },
  });
  expect((line['err'] as { stack: string }).stack).toContain('log.test.ts');
  expect(JSON.stringify(line)).not.toMatch(/hush|fl_[0-9A-Za-z]/);
  expect(JSON.stringify(logged((log) => log.error(error, 'failed')))).not.toMatch(/hush|fl_[0-9A-Za-z]/);
});

test('removes the row that violates a constraint of the database', () => {
  const error = Object.assign(new Error('null value in column "name" violates not-null constraint'), {
    code: '23502',
    table: 'accounts',
    detail: 'Failing row contains (1, credential, $argon2id$hush).',
  });
  const line = logged((log) => log.error({ err: error }, 'failed'));
  expect(line['err']).toMatchObject({ code: '23502', table: 'accounts', detail: '[removed]' });
});
