import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { createTestDatabase, type TestDatabase } from '../db/testing.ts';
import { loadRootSecret, openSecretBox } from './root-secret.ts';

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

describe('the key file', () => {
  test('is made once, readable by its owner alone, and nothing else is left beside it', async () => {
    const made = await loadRootSecret(configured());
    expect(Buffer.from(made, 'base64url')).toHaveLength(32);
    const path = join(folder, 'data', 'secret.key');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim()).toBe(made);
    expect(await loadRootSecret(configured())).toBe(made);
    expect(await readdir(join(folder, 'data'))).toEqual(['secret.key']);
  });

  test('is not looked at where FAIRLEAD_SECRET is set', async () => {
    expect(await loadRootSecret(configured({ FAIRLEAD_SECRET: SECRET }))).toBe(SECRET);
    await expect(readdir(join(folder, 'data'))).rejects.toThrow('ENOENT');
  });

  test('that cannot be read is told by its path, not replaced', async () => {
    const config = configured();
    await loadRootSecret(config);
    const path = join(folder, 'data', 'secret.key');
    await rm(path);
    await writeFile(join(folder, 'x'), '');
    const blocked = { ...config, DATA_DIR: join(folder, 'x') };
    await expect(loadRootSecret(blocked)).rejects.toThrow(ConfigError);
    await expect(loadRootSecret(blocked)).rejects.toThrow(join(folder, 'x', 'secret.key'));
  });

  test.each(['', '\n', 'short'])('that holds %j is refused: a cut file is no secret', async (content) => {
    const config = configured();
    await loadRootSecret(config);
    const path = join(folder, 'data', 'secret.key');
    await chmod(path, 0o600);
    await writeFile(path, content);
    await expect(loadRootSecret(config)).rejects.toThrow(ConfigError);
    await expect(loadRootSecret(config)).rejects.toThrow(path);
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

  test('is one, though many processes start at once', async () => {
    const boxes = await Promise.all(
      Array.from({ length: 8 }, () => openSecretBox(configured({ FAIRLEAD_SECRET: SECRET }), database.db)),
    );
    expect(boxes[7]!.open(boxes[0]!.seal('x', 'c'), 'c')).toBe('x');
    expect((await database.pool.query('select 1 from secret_checks')).rowCount).toBe(1);
  });
});
