/** Fails for source files of more than 500 lines. Files are cut by concept; the bound catches what grew unseen. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const MAX_LINES = 500;
const SOURCES = ['*.ts', '*.tsx', '*.css', '*.sql'];
const GENERATED = new Set(['src/platform/db/tables.ts', 'test/upgrade/first-schema.sql']);

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...SOURCES], {
  encoding: 'utf8',
});
const tooLong = tracked
  .split('\n')
  .filter((file) => file !== '' && !GENERATED.has(file) && existsSync(file))
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
  .filter(({ lines }) => lines > MAX_LINES)
  .toSorted((a, b) => b.lines - a.lines);

if (tooLong.length) {
  console.error(`Longer than ${MAX_LINES} lines:`);
  for (const { file, lines } of tooLong) console.error(`  ${lines} ${file}`);
  process.exitCode = 1;
}
