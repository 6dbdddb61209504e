/**
 * `npm run check:openapi`: lints the OpenAPI document with Redocly's rules (redocly.yaml), without a database. The
 * linter is kept from calling out: no telemetry, no look for updates.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printableDocument } from './openapi.ts';

const CONFIG = fileURLToPath(new URL('../redocly.yaml', import.meta.url));
const CLI = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');

/** Lints a document. Warnings count as faults. */
export function lintDocument(document: object): { ok: boolean; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document, null, 2));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [CLI, 'lint', file, '--config', CONFIG, '--format', 'stylish'],
      {
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    const output = `${stdout}${stderr}`;
    return { ok: status === 0 && !/You have \d+ warning/.test(output), output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const { ok, output } = lintDocument(printableDocument());
  console.log(output.trim());
  process.exitCode = ok ? 0 : 1;
}
