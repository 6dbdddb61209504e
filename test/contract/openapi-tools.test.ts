/**
 * The OpenAPI document as tools by others read it: Spectral's rules, and clients that generators make of it under
 * TypeScript's `strict`, with programs that use them without a cast, and that run. The tools bring hundreds of packages,
 * so that OPENAPI_TOOLS_DIR names a folder with them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printableDocument } from '../../scripts/openapi.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';

const TOOLS = join(resolve(process.env['OPENAPI_TOOLS_DIR'] ?? ''), 'node_modules');
const HAS_TOOLS =
  process.env['OPENAPI_TOOLS_DIR'] !== undefined && existsSync(join(TOOLS, '@stoplight/spectral-cli'));
const OWN = join(import.meta.dirname, '../../node_modules');
const PROGRAMS = join(import.meta.dirname, '../support/openapi-tools/programs');
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

/** What each program exports. */
interface Program {
  connect(baseUrl: string, key: string): void;
  sendMessage(instanceId: string): Promise<string>;
  createLink(): Promise<string>;
  chat(model: string): Promise<string>;
  chatAboutImage(model: string): Promise<string>;
  chatWithTools(model: string): Promise<unknown[]>;
  streamChat(model: string): Promise<string>;
  readProviderError(model: string): Promise<string>;
  listEvents(): Promise<string[]>;
  publish(endpointId: string): Promise<string>;
  uploadMedia(): Promise<string>;
  importLinks(mediaId: string): Promise<string>;
}

let folder: TemporaryFolder;
let file: string;
let app: TestApp;
beforeAll(async () => {
  if (!HAS_TOOLS) return;
  app = await startTestApp();
  folder = await temporaryFolder('openapi-');
  file = join(folder.path, 'openapi.json');
  await writeFile(file, JSON.stringify(printableDocument()));
  // Programs import packages of the tools.
  await symlink(TOOLS, join(folder.path, 'node_modules'));
});
afterAll(async () => {
  await app?.stop();
  await folder?.[Symbol.asyncDispose]();
});

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
  },
);

/** Name, program, arguments, and the program that uses the client. */
const GENERATORS: [name: string, program: string, args: (target: string) => string[]][] = [
  [
    'hey-api',
    join(TOOLS, '@hey-api/openapi-ts/bin/run.js'),
    (target) => ['-i', file, '-o', target, '-c', '@hey-api/client-fetch'],
  ],
  // Only a configuration can give it the address of the server.
  ['orval', join(TOOLS, 'orval/dist/bin/orval.js'), () => ['--config', 'orval.config.js']],
  [
    'openapi-typescript',
    join(OWN, 'openapi-typescript/bin/cli.js'),
    (target) => [file, '-o', `${target}/schema.ts`],
  ],
];

describe.each(GENERATORS)(
  'a client of %s',
  needs('generators of clients, in the folder that OPENAPI_TOOLS_DIR names', HAS_TOOLS),
  (name, generator, args) => {
    let source: string;
    let target: string;
    beforeAll(async () => {
      target = join(folder.path, name);
      await mkdir(target);
      const output = { target: join(target, 'api.ts'), client: 'fetch', baseUrl: app.base };
      await writeFile(
        join(folder.path, 'orval.config.js'),
        `module.exports = ${JSON.stringify({ api: { input: file, output } })};\n`,
      );
      const { code, output: printed } = await run(generator, ...args(target));
      if (code !== 0) throw new Error(printed);
      source = await readFile(join(PROGRAMS, `${name}.ts.txt`), 'utf8');
      await writeFile(join(target, 'program.ts'), source);
    }, LONG_MS);

    test('compiles under strict, with a program without casts', { timeout: LONG_MS }, async () => {
      expect(source).not.toMatch(/\bas [A-Zaun]|\w!\W|\bany\b|@ts-/);
      expect(await compile(name)).toBe('');
    });

    test('does what the program says', { timeout: LONG_MS }, async () => {
      const { key } = await startWorkspace(app);
      const make = async (path: string, body: object): Promise<string> => {
        const answer = await app.call(path, { key, body });
        expect(answer).toHaveStatus(201);
        return answer.body.id;
      };
      const instance = await make('/instances', { channel: 'sandbox', name: 'Sandbox' });
      expect(await app.call(`/instances/${instance}/connect`, { key, method: 'POST' })).toHaveStatus(202);
      await expect
        .poll(async () => (await app.call(`/instances/${instance}`, { key })).body.state, PATIENCE)
        .toBe('connected');
      const endpoint = await make('/publishing-endpoints', {
        name: 'Blog',
        auth: { type: 'bearer' },
        destinations: [{ instance_id: instance, to: 'alice', template: '{{ payload.title }}' }],
      });
      // Of the module that is read at run time the types are unknown here.
      const program = (await import(/* @vite-ignore */ join(target, 'program.ts'))) as Program;
      program.connect(app.base, key);
      const model = 'fairlead/echo';
      expect(await program.sendMessage(instance)).toBe('Hi');
      expect(await program.createLink()).toMatch(/^http/);
      expect(await program.chat(model)).toBe('Hello');
      expect(await program.chatAboutImage(model)).toBe('Hello 0');
      expect(await program.chatWithTools(model)).toEqual([['f', { city: 'Oslo' }]]);
      expect(await program.streamChat(model)).toBe('Hello');
      expect(await program.readProviderError('fairlead/none')).toMatch(/^model_not_found: ./);
      await expect.poll(() => program.listEvents(), PATIENCE).toEqual(expect.arrayContaining(['Hi']));
      const publication = await app.call(`/publications/${await program.publish(endpoint)}`, { key });
      // Without the content type of JSON it would be text.
      expect(publication.body.payload).toEqual({ title: 'Hello' });
      expect(await program.importLinks(await program.uploadMedia())).toBe('job');
    });
  },
);
