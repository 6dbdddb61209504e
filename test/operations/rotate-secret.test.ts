/** The root secret of an embedded database as operators meet it: starts that are refused, rotations killed anywhere. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { openDatabase, openPool } from '../../src/platform/db/database.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/embedded.ts';
import { everythingOpened, NEW, tablesWithKey } from '../support/secret-rotation.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { requestHeadContext } from '../../src/core/webhooks/inspector-request.service.ts';
import { openAccount, signIn } from '../support/account.ts';
import { FAIRLEAD, startProduct } from '../support/product.ts';
import { fill, PATIENT, refusal, rotate } from '../support/rotating.ts';

const quiet = { info() {}, warn() {}, error() {} };
const toLines = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trim().split('\n');

/**
 * What a process loads before all else, to be killed once it has said this, or so long after it. Whoever watched it from
 * outside would come too late on a machine that has much else to do: its last steps take some milliseconds.
 */
const diesAfter = (said: RegExp, ms: number): string =>
  `data:text/javascript,${encodeURIComponent(`
    let output = '';
    const die = () => process.kill(process.pid, 'SIGKILL');
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream);
      stream.write = (text, ...more) => {
        const done = write(text, ...more);
        output += text;
        if (${said}.test(output)) ${ms === 0 ? 'die()' : `setTimeout(die, ${ms})`};
        return done;
      };
    }`)}`;

describe('the embedded database and its key file', () => {
  test(
    'a key file that is missing or another is refused with the reason, by all processes',
    PATIENT,
    async () => {
      await using folder = await temporaryFolder();
      const DATA_DIR = `${folder.path}/data`;
      const key = `${DATA_DIR}/secret.key`;
      const product = await startProduct({ dataDir: DATA_DIR });
      await product.stop();
      await rename(key, `${key}.away`);
      expect(await refusal({ DATA_DIR })).toContain(
        `The key file ${key} is missing, and the data in this database was encrypted with it. Restore the original file`,
      );
      expect(existsSync(key)).toBe(false);
      await writeFile(key, `${NEW}\n`, { mode: 0o600 });
      expect(await refusal({ DATA_DIR, PROCESSES: '2' })).toContain(
        `${key} is not the secret that this database was set up with.`,
      );
      expect(await toLines(key)).toEqual([NEW]);
      expect((await rotate({ DATA_DIR })).stderr).toContain(
        `${key} is not the secret that this database was set up with.`,
      );
      expect(await toLines(key)).toEqual([NEW]);

      await rename(`${key}.away`, key);
      const again = await startProduct({ dataDir: DATA_DIR, env: { PROCESSES: '2' } });
      expect((await rotate({ DATA_DIR })).stderr).toBe(
        'A server is running on this database. Stop it first: it reads its secret only when it starts.\n',
      );
      expect((await again.stop()).code).toBe(0);
    },
  );

  test('a rotation that is killed at any point is completed by the next', PATIENT, async () => {
    await using folder = await temporaryFolder();
    const DATA_DIR = `${folder.path}/data`;
    const key = `${DATA_DIR}/secret.key`;
    const product = await startProduct({ dataDir: DATA_DIR });
    const account = await openAccount(product.base);
    const { inspector } = await fill(product.base, account);
    await product.stop();
    const [first] = await toLines(key);

    const withData = async <T>(
      work: (db: ReturnType<typeof openDatabase>, pool: ReturnType<typeof openPool>) => Promise<T>,
    ): Promise<T> => {
      const embedded = await startEmbedded({ dataDir: DATA_DIR, log: quiet });
      const pool = openPool({ ...embedded.connection, max: 2 }, () => {});
      try {
        return await work(openDatabase(pool), pool);
      } finally {
        await pool.end();
        await embedded.stop();
      }
    };
    // So many that a rotation takes a while.
    const before = await withData(async (db, pool) => {
      const box = createSecretBox(first!);
      const { rows } = await pool.query('select workspace_id, id from inspectors');
      const ids = Array.from({ length: 8_000 }, () => crypto.randomUUID());
      await pool.query(
        `insert into inspector_requests (workspace_id, inspector_id, number, id, source, method, path, head_sealed,
           body, size, kept_bytes, signature, answer_status, answer_delay_ms, created_at)
         select $1, $2, 1000 + at, id, 'http', 'POST', '', sealed, '', 0, 0, 'absent', 200, 0, now()
         from unnest($3::uuid[], $4::text[]) with ordinality t (id, sealed, at)`,
        [
          rows[0].workspace_id,
          rows[0].id,
          ids,
          ids.map((id) => box.seal(id, requestHeadContext(rows[0].workspace_id, id))),
        ],
      );
      return everythingOpened(db, box);
    });

    const killedAfter = async (said: RegExp, ms: number): Promise<void> => {
      const child = spawn(FAIRLEAD, ['rotate-secret'], {
        env: { PATH: process.env['PATH'], DATA_DIR, NODE_OPTIONS: `--import=${diesAfter(said, ms)}` },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text: Buffer) => (output += text.toString()));
      expect([await once(child, 'close'), output]).toEqual([[null, 'SIGKILL'], expect.stringMatching(said)]);
    };
    await killedAfter(/and the previous secret\./, 0);
    const [second, ...rest] = await toLines(key);
    expect(rest).toEqual([first]);
    await killedAfter(/Continuing the rotation[^]*and the previous secret\./, 60);
    await killedAfter(/inspector_requests: .* values? re-encrypted\./, 0);
    expect((await toLines(key))[0]).toBe(second);

    const last = await rotate({ DATA_DIR });
    expect([last.code, last.stderr]).toEqual([0, '']);
    expect(last.stdout).toContain('none left with another secret.');
    expect(await toLines(key)).toEqual([second]);
    await withData(async (db) => {
      expect(await everythingOpened(db, createSecretBox(second!))).toEqual(before);
      expect(await tablesWithKey(db, createSecretBox(first!).keyIds[0])).toEqual([]);
    });
    const check = await rotate({ DATA_DIR }, '--check');
    expect([check.code, check.stdout.split('\n')]).toEqual([
      0,
      [expect.stringMatching(/^8,0\d\d values encrypted with the current secret/), ''],
    ]);

    // Who was signed in signs in again; keys and all else go on.
    const again = await startProduct({ dataDir: DATA_DIR });
    const headers = { cookie: await signIn(again.base), 'fairlead-workspace': account.workspace };
    const requests = await fetch(`${again.base}/api/v1/inspectors/${inspector.id}/requests?limit=1`, {
      headers,
    });
    const { data } = (await requests.json()) as { data: { id: string }[] };
    expect(data).toHaveLength(1);
    await again.stop();
  });
});
