/**
 * A copy of the sources in a temporary folder, in which a test plays the developer: it adds files, edits others, and
 * runs the checks and tests of the copy. Packages are those of the repository.
 */
import { execFile } from 'node:child_process';
import { constants, globSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '../journey/clone.ts';
import { environment, ROOT } from '../product.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Of a program: it ends before the test does, so that the copy is complete again. */
const MAX_MS = 220_000;
const VITEST = 'node_modules/vitest/vitest.mjs';
/** Of files to add, so that no check of the repository takes them for its own. */
const SUFFIX = '.txt';

/** Text that is inserted into an existing file. */
export interface Edit {
  /** From the root of the repository. */
  file: string;
  /** Occurs once in the file. */
  after: string;
  insert: string;
}

export interface Ran {
  passed: boolean;
  /** Standard output and error. */
  output: string;
}

export interface CopyOfProduct extends AsyncDisposable {
  path: string;
  /** Adds the files of a folder, whose names end with `.txt` more than they are to have. @returns their paths */
  add(folder: string): Promise<string[]>;
  /** @throws Error if the anchor of an edit doesn't occur exactly once */
  apply(edits: readonly Edit[]): Promise<void>;
  /** Does something while a file lacks a text. @throws Error if the text doesn't occur exactly once */
  without<T>(file: string, text: string, work: () => Promise<T>): Promise<T>;
  read(file: string): Promise<string>;
  /** Runs the test files whose paths contain one of the words, each in a database of its own. */
  vitest(...words: string[]): Promise<Ran>;
  /** Runs a program with the Node that runs this. */
  node(...args: string[]): Promise<Ran>;
}

function assertOnce(text: string, part: string, file: string): void {
  const times = text.split(part).length - 1;
  if (times !== 1) throw new Error(`${file} has ${times} times, not once: ${part}`);
}

/** Copies what git knows or would add. */
async function copySources(to: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    env: gitEnvironment(),
    maxBuffer: MAX_OUTPUT,
  });
  const files = stdout.split('\0').filter((file) => file !== '' && globSync(file, { cwd: ROOT }).length > 0);
  for (const folder of new Set(files.map(dirname))) await mkdir(join(to, folder), { recursive: true });
  await Promise.all(
    files.map((file) => copyFile(join(ROOT, file), join(to, file), constants.COPYFILE_FICLONE)),
  );
}

export async function copyOfProduct(): Promise<CopyOfProduct> {
  const folder = await temporaryFolder('fairlead-copy-');
  const { path } = folder;
  await copySources(path);
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  // Checks ask git which files there are.
  await run('git', ['init', '--quiet'], { cwd: path, env: gitEnvironment() });
  const change = async (file: string, by: (text: string) => string): Promise<void> =>
    writeFile(join(path, file), by(await readFile(join(path, file), 'utf8')));
  // A server of its own: the templates of the one that this run tests on have the schema without additions.
  const { TEST_DATABASE_URL: _url, FAIRLEAD_TEST_SERVER: _server, ...inherited } = environment({});
  const env = { ...inherited, NO_COLOR: '1' };
  const node = async (...args: string[]): Promise<Ran> => {
    try {
      const { stdout, stderr } = await run(process.execPath, args, {
        cwd: path,
        env,
        maxBuffer: MAX_OUTPUT,
        timeout: MAX_MS,
      });
      return { passed: true, output: stdout + stderr };
    } catch (error) {
      const { stdout, stderr, code } = error as { stdout?: string; stderr?: string; code?: unknown };
      // Not a result of the program, such as one that could not be started.
      if (typeof code !== 'number') throw error;
      return { passed: false, output: `${stdout}${stderr}` };
    }
  };
  return {
    path,
    async add(from) {
      const files = globSync(`**/*${SUFFIX}`, { cwd: from }).map((file) => file.slice(0, -SUFFIX.length));
      for (const file of files) {
        await mkdir(dirname(join(path, file)), { recursive: true });
        await copyFile(join(from, file + SUFFIX), join(path, file), constants.COPYFILE_EXCL);
      }
      return files;
    },
    async apply(edits) {
      for (const { file, after, insert } of edits)
        await change(file, (text) => {
          assertOnce(text, after, file);
          return text.replace(after, () => after + insert);
        });
    },
    async without(file, part, work) {
      const whole = await readFile(join(path, file), 'utf8');
      assertOnce(whole, part, file);
      await writeFile(
        join(path, file),
        whole.replace(part, () => ''),
      );
      try {
        return await work();
      } finally {
        await writeFile(join(path, file), whole);
      }
    },
    read: (file) => readFile(join(path, file), 'utf8'),
    node,
    vitest: (...words) => node(VITEST, 'run', ...words),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
