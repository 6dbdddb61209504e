/** Source files hold one concept, so they are short: 150 lines ask for a look, 300 are the limit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const LOOK_AT = 150;
const MOST = 300;
const SOURCES = ['*.ts', '*.tsx', '*.css', '*.sql'];
const GENERATED = new Set(['src/db/tables.ts', 'web/api/schema.d.ts', 'test/upgrade/first-schema.sql']);
/** Tests are lists of cases, which need no second file. */
const MOST_OF_TEST = 500;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...SOURCES], {
  encoding: 'utf8',
});
const sizes = tracked
  .split('\n')
  .filter((file) => file !== '' && !GENERATED.has(file) && existsSync(file))
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
  .toSorted((a, b) => b.lines - a.lines);

const isTest = (file: string): boolean => file.includes('.test.');
const tooLong = sizes.filter(({ file, lines }) => lines > (isTest(file) ? MOST_OF_TEST : MOST));
const long = sizes.filter(({ file, lines }) => lines > LOOK_AT && !isTest(file) && lines <= MOST);

const show = (list: typeof sizes): string => list.map(({ file, lines }) => `  ${lines} ${file}`).join('\n');
if (long.length) console.log(`Longer than ${LOOK_AT} lines; one concept each?\n${show(long)}`);
if (tooLong.length) {
  console.error(`Longer than ${MOST} lines (tests: ${MOST_OF_TEST}):\n${show(tooLong)}`);
  process.exitCode = 1;
}
