import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { openSecretBox, rootSecrets } from './root-secret.ts';
import { createSecretBox, fingerprint } from './secret-box.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'root-secret-'));
  await database.pool.query('delete from secret_checks');
  return () => rm(folder, { recursive: true, force: true });
});

const SECRET = 'a secret of the operator, 32 characters long';
const configured = (more: Record<string, string> = {}): Config =>
  readConfig({ DATA_DIR: join(folder, 'data'), ...more });

const open = (more: Record<string, string> = {}) => openSecretBox(configured(more), database.db);

describe('the key file', () => {
  test('is made once, readable by its owner alone, and nothing else is left beside it', async () => {
    const box = await open();
    const path = join(folder, 'data', 'secret.key');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const made = (await readFile(path, 'utf8')).trim();
    expect(Buffer.from(made, 'base64url')).toHaveLength(32);
    expect(await rootSecrets(configured())).toEqual({ current: made, further: [] });
    expect((await open()).open(box.seal('kept', 'c'), 'c')).toBe('kept');
    expect(await readdir(join(folder, 'data'))).toEqual(['secret.key']);
  });

  test('is one, though many processes make it at once', async () => {
    const boxes = await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(new Set(boxes.map((box) => box.keyIds[0])).size).toBe(1);
    expect(await readdir(join(folder, 'data'))).toEqual(['secret.key']);
  });

  test('is not looked at where FAIRLEAD_SECRET is set', async () => {
    expect((await open({ FAIRLEAD_SECRET: SECRET })).keyIds[0]).toBe(createSecretBox(SECRET).keyIds[0]);
    await expect(readdir(join(folder, 'data'))).rejects.toThrow('ENOENT');
  });

  test('is not made by who only asks for the secrets', async () => {
    await expect(rootSecrets(configured())).rejects.toThrow(
      `The key file ${join(folder, 'data', 'secret.key')} is missing.`,
    );
    await expect(readdir(join(folder, 'data'))).rejects.toThrow('ENOENT');
  });

  test('that is gone while data exist is told by its path; no other is made', async () => {
    await open();
    await rm(join(folder, 'data', 'secret.key'));
    await expect(open()).rejects.toThrow(
      `The key file ${join(folder, 'data', 'secret.key')} is missing, and the data in this database was encrypted with it.`,
    );
    expect(await readdir(join(folder, 'data'))).toEqual([]);
  });

  test('that cannot be read is told by its path, not replaced', async () => {
    await writeFile(join(folder, 'x'), '');
    const blocked = { ...configured(), DATA_DIR: join(folder, 'x') };
    await expect(openSecretBox(blocked, database.db)).rejects.toThrow(ConfigError);
    await expect(openSecretBox(blocked, database.db)).rejects.toThrow(join(folder, 'x', 'secret.key'));
  });

  test.each(['', '\n', 'short', `${SECRET}\nshort\n`])(
    'that holds %j is refused: a cut file is no secret',
    async (content) => {
      await open();
      const path = join(folder, 'data', 'secret.key');
      await chmod(path, 0o600);
      await writeFile(path, content);
      await expect(open()).rejects.toThrow(ConfigError);
      await expect(open()).rejects.toThrow(path);
      expect(await readFile(path, 'utf8')).toBe(content);
    },
  );

  test('may have a second line, which opens and does not seal', async () => {
    const before = await open();
    const path = join(folder, 'data', 'secret.key');
    const old = (await readFile(path, 'utf8')).trim();
    await writeFile(path, `${SECRET}\r\n${old}\r\n`);
    expect(await rootSecrets(configured())).toEqual({ current: SECRET, further: [old] });
    const box = await open();
    expect(box.open(before.seal('kept', 'c'), 'c')).toBe('kept');
    expect(box.keyIds[0]).toBe(createSecretBox(SECRET).keyIds[0]);
  });
});

describe('the check value', () => {
  test('lets the same secret in again, and refuses another, which changes nothing', async () => {
    const first = await openSecretBox(configured({ FAIRLEAD_SECRET: SECRET }), database.db);
    const sealed = first.seal('kept', 'a|b|c');
    const again = await openSecretBox(configured({ FAIRLEAD_SECRET: SECRET }), database.db);
    expect(again.open(sealed, 'a|b|c')).toBe('kept');
    const { rows: before } = await database.pool.query('select sealed from secret_checks');
    const other = openSecretBox(configured({ FAIRLEAD_SECRET: `${SECRET}!` }), database.db);
    await expect(other).rejects.toThrow(ConfigError);
    await expect(other).rejects.toThrow(/FAIRLEAD_SECRET is not the secret/);
    expect((await database.pool.query('select sealed from secret_checks')).rows).toEqual(before);
  });

  test('names the file where the secret comes from one', async () => {
    await openSecretBox(configured({ FAIRLEAD_SECRET: SECRET }), database.db);
    await expect(openSecretBox(configured(), database.db)).rejects.toThrow(
      join(folder, 'data', 'secret.key'),
    );
  });

  test('is opened under FAIRLEAD_SECRET_ALSO too, and so are values; sealed is under FAIRLEAD_SECRET', async () => {
    const next = `${SECRET}, the next one`;
    const old = await open({ FAIRLEAD_SECRET: SECRET });
    const ready = await open({ FAIRLEAD_SECRET: SECRET, FAIRLEAD_SECRET_ALSO: next });
    const turned = await open({ FAIRLEAD_SECRET: next, FAIRLEAD_SECRET_ALSO: SECRET });
    expect(turned.open(old.seal('x', 'c'), 'c')).toBe('x');
    expect(turned.open(ready.seal('x', 'c'), 'c')).toBe('x');
    expect(ready.open(turned.seal('x', 'c'), 'c')).toBe('x');
    expect(() => old.open(turned.seal('x', 'c'), 'c')).toThrow(/another key/);
    await expect(open({ FAIRLEAD_SECRET: next })).rejects.toThrow(/FAIRLEAD_SECRET is not the secret/);
  });

  test('is one, though many processes start at once', async () => {
    const boxes = await Promise.all(
      Array.from({ length: 8 }, () => openSecretBox(configured({ FAIRLEAD_SECRET: SECRET }), database.db)),
    );
    expect(boxes[7]!.open(boxes[0]!.seal('x', 'c'), 'c')).toBe('x');
    expect((await database.pool.query('select 1 from secret_checks')).rowCount).toBe(1);
  });
});

test('a fingerprint names a secret and gives none of its keys away', () => {
  expect(fingerprint(SECRET)).toMatch(/^[0-9a-f]{16}$/);
  expect(fingerprint(SECRET)).toBe(fingerprint(SECRET));
  expect(fingerprint(SECRET)).not.toBe(fingerprint(`${SECRET}!`));
  const box = createSecretBox(SECRET);
  expect(fingerprint(SECRET)).not.toContain(box.keyIds[0]);
  expect(box.derive('seal').toString('hex')).not.toContain(fingerprint(SECRET).slice(0, 8));
});
