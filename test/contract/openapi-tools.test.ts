/**
 * The OpenAPI document as tools by others read it: Spectral's rules, and clients that generators make of it under
 * TypeScript's `strict`. The tools bring hundreds of packages, so that OPENAPI_TOOLS_DIR names a folder with them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printableDocument } from '../../scripts/openapi.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const TOOLS = join(resolve(process.env['OPENAPI_TOOLS_DIR'] ?? ''), 'node_modules');
const HAS_TOOLS =
  process.env['OPENAPI_TOOLS_DIR'] !== undefined && existsSync(join(TOOLS, '@stoplight/spectral-cli'));
const OWN = join(import.meta.dirname, '../../node_modules');
const MAX_OUTPUT = 64 * 1024 * 1024;
const LONG_MS = 300_000;

/** Warnings of Spectral's rules that stay, and why. */
const ACCEPTED: Record<string, string> = {
  'info-contact': 'The installation belongs to whoever runs it; nobody can be named beforehand.',
  'oas3-operation-security-defined':
    'OpenAPI 3.1 allows roles for every kind of security scheme. The rule is of 3.0, where only OAuth has scopes.',
};

interface Finding {
  code: string;
  /** 0 is an error. */
  severity: number;
  path: string[];
  message: string;
}

let folder: TemporaryFolder;
let file: string;
beforeAll(async () => {
  folder = await temporaryFolder('openapi-');
  file = join(folder.path, 'openapi.json');
  await writeFile(file, JSON.stringify(printableDocument()));
});
afterAll(() => folder?.[Symbol.asyncDispose]());

const run = (program: string, ...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder.path, maxBuffer: MAX_OUTPUT },
      (error, stdout, stderr) => {
        done({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr });
      },
    );
  });

/** @param generated folder below the temporary one */
async function compile(generated: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  const config = join(folder.path, `${generated}.tsconfig.json`);
  await writeFile(config, JSON.stringify({ compilerOptions, include: [`${generated}/**/*.ts`] }));
  const { code, output } = await run(join(OWN, 'typescript-7/bin/tsc'), '-p', config);
  return code === 0 ? '' : output;
}

describe(
  'the document',
  needs('linters and generators, in the folder that OPENAPI_TOOLS_DIR names', HAS_TOOLS),
  () => {
    test('has no error by Spectral, and no warning without a reason', { timeout: LONG_MS }, async () => {
      await writeFile(join(folder.path, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
      const findings = join(folder.path, 'findings.json');
      const spectral = join(TOOLS, '@stoplight/spectral-cli/dist/index.js');
      const { output } = await run(spectral, 'lint', file, '-r', 'rules.yaml', '-f', 'json', '-o', findings);
      expect(existsSync(findings), output).toBe(true);
      const found = JSON.parse(await readFile(findings, 'utf8')) as Finding[];
      const errors = found.filter(({ severity }) => severity === 0);
      expect(errors.map(({ path, message }) => `${path.join('/')}: ${message}`)).toEqual([]);
      expect([...new Set(found.map(({ code }) => code))].sort()).toEqual(Object.keys(ACCEPTED).sort());
    });

    const GENERATORS: [name: string, program: string, args: (target: string) => string[]][] = [
      [
        '@hey-api/openapi-ts',
        join(TOOLS, '@hey-api/openapi-ts/bin/run.js'),
        (target) => ['-i', file, '-o', target, '-c', '@hey-api/client-fetch'],
      ],
      [
        'orval',
        join(TOOLS, 'orval/dist/bin/orval.js'),
        (target) => ['--input', file, '--output', `${target}/api.ts`, '--client', 'fetch'],
      ],
      [
        'openapi-typescript',
        join(OWN, 'openapi-typescript/bin/cli.js'),
        (target) => [file, '-o', `${target}/schema.ts`],
      ],
    ];

    test.for(GENERATORS)(
      'of %s compiles under strict',
      { timeout: LONG_MS },
      async ([name, program, args]) => {
        const generated = name.replaceAll(/\W/g, '-');
        await mkdir(join(folder.path, generated));
        const { code, output } = await run(program, ...args(join(folder.path, generated)));
        expect(code, output).toBe(0);
        expect(await compile(generated)).toBe('');
      },
    );
  },
);
