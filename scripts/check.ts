/**
 * `npm run check`: every `check:*` script of package.json, one after the other, each to its end. Shows what a script
 * said where it failed or had something to tell.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));

const failed: string[] = [];
for (const name of checks) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', name], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? '✓' : '✗'} ${name.slice('check:'.length)} (${seconds} s)`);
  const said = `${stdout}${status === 0 ? '' : stderr}`.trimEnd();
  if (said) console.log(said.replace(/^/gm, '    '));
  if (status !== 0) failed.push(name);
}

console.log(failed.length ? `\nFailed: ${failed.join(', ')}` : '\nAll checks passed');
process.exit(failed.length ? 1 : 0);
