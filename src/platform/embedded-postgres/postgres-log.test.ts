import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { followLog } from './postgres-log.ts';
import { keepingLogger } from '../../../test/support/embedded-postgres/harness.ts';

async function follow(text: string) {
  const log = keepingLogger();
  const stream = new PassThrough();
  const followed = followLog(stream, log);
  stream.end(text);
  await finished(stream);
  return { ...followed, told: log.entries.map(({ level, message }) => `${level} ${message}`), log };
}

test('only what matters is passed on, by its severity', async () => {
  const { told } = await follow(
    [
      '[postmaster] LOG:  database system is ready to accept connections',
      '[checkpointer] WARNING:  odd',
      '[checkpointer] ERROR:  could not write',
      '\tCONTEXT:  not repeated',
      '[postmaster] LOG:  client backend (PID 7) was terminated by signal 9: Killed',
      '[client backend] FATAL:  terminating connection due to administrator command',
      '[client backend] FATAL:  sorry, too many clients already',
      '[startup] PANIC:  could not fsync',
      'postgres: error while loading shared libraries: libpq.so.5',
      '',
    ].join('\n'),
  );
  expect(told).toEqual([
    'warn PostgreSQL: [checkpointer] WARNING:  odd',
    'warn PostgreSQL: [checkpointer] ERROR:  could not write',
    'warn PostgreSQL: [postmaster] LOG:  client backend (PID 7) was terminated by signal 9: Killed',
    'error PostgreSQL: [client backend] FATAL:  sorry, too many clients already',
    'error PostgreSQL: [startup] PANIC:  could not fsync',
    'warn PostgreSQL: postgres: error while loading shared libraries: libpq.so.5',
  ]);
});

test('a flood is cut off: a bounded number of lines of bounded length', async () => {
  const line = `[checkpointer] ERROR:  ${'x'.repeat(5000)}\n`;
  const { told, lines } = await follow(line.repeat(2000) + 'y'.repeat(1e6));
  expect(told.length).toBeLessThan(100);
  expect(Math.max(...told.map((text) => text.length))).toBeLessThan(1100);
  expect(lines.length).toBeLessThanOrEqual(40);
});

test('a line is seen whether it came before or comes after the question, and in pieces', async () => {
  const stream = new PassThrough();
  const followed = followLog(stream, keepingLogger());
  const later = followed.saw(/is ready/);
  stream.write('[postmaster] LOG:  it is re');
  stream.write('ady\n');
  await expect(later).resolves.toBeUndefined();
  await expect(followed.saw(/is ready/)).resolves.toBeUndefined();
});
