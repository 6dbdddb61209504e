/** What users run Fairlead with in production: Dockerfile, compose.yaml, the unit of systemd, the file of settings. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/platform/config/config.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { dockerContext } from '../support/docker-context.ts';
import { ROOT } from '../support/product.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'([^']+)'/g;
const getImports = (file: string): string[] => [...read(file).matchAll(IMPORT)].map(([, name]) => name!);
const isCode = (file: string): boolean => /\.(ts|tsx|js)$/.test(file);

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const context = dockerContext();
  const sources = context.filter(isCode);

  test('has a Dockerfile that a linter finds nothing in', () => {
    expect(validate(dockerfile).map(({ message, range }) => [range.start.line + 1, message])).toEqual([]);
    expect(validate(dockerfile.replace('EXPOSE 3000', 'EXPOSE web'))).toHaveLength(1);
  });

  test('is made of everything that the sources import, and of no test', () => {
    const missing = sources.flatMap((file) =>
      getImports(file)
        // Type declarations are erased; those of the API are generated.
        .filter((name) => name.startsWith('.') && isCode(name) && !name.endsWith('.d.ts'))
        .map((name) => join(dirname(file), name))
        .filter((path) => existsSync(join(ROOT, path)) && !context.includes(path)),
    );
    expect(missing).toEqual([]);
    for (const file of context.filter((path) => path.endsWith('tsconfig.json'))) {
      const { extends: base } = JSON.parse(read(file)) as { extends?: string };
      if (base) expect(context).toContain(join(dirname(file), base));
    }
    expect(sources.length).toBeGreaterThan(500);
    expect(context.filter((file) => /\.test\.|\/testing[./]|^(test|bench|docs|deploy)\//.test(file))).toEqual(
      [],
    );
    for (const [, copied] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const path of copied!.split(' '))
        expect([path, context.some((file) => file === path || file.startsWith(`${path}/`))]).toEqual([
          path,
          true,
        ]);
  });

  test('gets neither data nor secrets of whoever builds it', () => {
    const private_ = [
      '.env',
      'data/secret.key',
      'data/postgres/data/PG_VERSION',
      '.git/config',
      'deploy/x.env',
    ];
    const more = dockerContext([...private_, 'node_modules/a/index.js', 'dist/console/index.html']);
    expect(more).toEqual(context);
  });
});

describe('compose.yaml', () => {
  const compose = read('compose.yaml');

  test('is what the specification of compose says, and a linter finds nothing in it', () => {
    const off = {
      // One order for all keys says less than what belongs together.
      'service-keys-order': 0,
      'services-alphabetical-order': 0,
      // The image is built here and pushed nowhere, and Caddy is there to be reached from anywhere.
      'no-build-and-image': 0,
      'service-image-require-explicit-tag': 0,
      'no-unbound-port-interfaces': 0,
    } as const;
    const linter = new DCLinter({ rules: off, quiet: true, debug: false, exclude: [] });
    // Its own types can't be read here.
    const results = linter.lintFiles([join(ROOT, 'compose.yaml')], false) as {
      messages: { line: number; message: string }[];
    }[];
    const messages = results.flatMap((result) => result.messages);
    expect(messages.map(({ line, message }) => [line, message])).toEqual([]);
  });

  test('publishes Fairlead to this machine alone, and the database to nobody', () => {
    const published = [...compose.matchAll(/^ {6}- '([^']*:\d+(?:\/udp)?)'$/gm)].map(([, port]) => port);
    expect(published).toEqual(['127.0.0.1:3000:3000', '80:80', '443:443', '443:443/udp']);
  });

  test('asks for settings that the example of them names', () => {
    const example = read('deploy/fairlead.env.example');
    const named = new Set([...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name!));
    const asked = [...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!);
    expect([...named]).toEqual(expect.arrayContaining(asked));
    const known = [...Object.keys(SETTINGS), 'POSTGRES_PASSWORD', 'FAIRLEAD_HOST'];
    expect(known).toEqual(expect.arrayContaining([...named]));
  });
});

const HAS_SYSTEMD = existsSync('/usr/bin/systemd-analyze');
describe('the unit of systemd', needs('systemd-analyze (systemd)', HAS_SYSTEMD), () => {
  const unit = read('deploy/fairlead.service');

  /** What systemd says to a unit; the program is this one, for there is none in /opt/fairlead. */
  async function verified(text: string): Promise<string> {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'fairlead.service');
    const here = text.replace('/opt/fairlead/node_modules/.bin/fairlead', `${ROOT}/bin/fairlead`);
    writeFileSync(path, here.replaceAll('/opt/fairlead', ROOT));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`;
  }

  test('is understood', async () => {
    expect(await verified(unit)).not.toMatch(/fairlead\.service/);
    expect(await verified(unit.replace('NoNewPrivileges=yes', 'NoNewPrivilege=yes'))).toMatch(
      /fairlead\.service.*NoNewPrivilege/,
    );
  });

  test('gives a stop the time that it takes', () => {
    // src/app/stop-on-signals.ts drains for 10 s; then PostgreSQL gets 20 to end its work, and 8 more where it must be pressed.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])).toBeGreaterThan(38);
  });

  test('leaves little that the service could do to the machine', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'fairlead.service');
    writeFileSync(path, unit);
    const report = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', path], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect(Number(/exposure level for fairlead\.service: ([\d.]+)/.exec(report)![1])).toBeLessThan(2);
  });
});

test('the nightly backup reads the settings and the data of the service, as its account', () => {
  const settings = (text: string): string[] =>
    [/^User=.+$/m, /^WorkingDirectory=.+$/m, /^EnvironmentFile=.+$/m, /^UMask=.+$/m, /\bDATA_DIR=\S+/].map(
      (line) => line.exec(text)?.[0] ?? `without ${line.source}`,
    );
  const page = read('docs/backup.md');
  const [unit] = /\[Unit\]\nDescription=Backup[^`]*/.exec(page)!;
  expect(settings(unit)).toEqual(settings(read('deploy/fairlead.service')));
});
