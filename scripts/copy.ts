/**
 * `npm run copy`: collects the console's texts in web/copy/en.json, the file that a translator starts from. `--check`
 * compares instead, and fails for texts of the console that are not in the catalog.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { collectTexts, findLiterals } from './copy/literals.ts';
import { writeOrCheck } from './generated-file.ts';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'web'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !/^web\/(reference|build|copy)\/|\.test\.|\.d\.ts$/.test(file) &&
      existsSync(file),
  );

const texts = new Set<string>();
for (const file of files) {
  const source = readFileSync(file, 'utf8');
  for (const text of collectTexts(file, source)) texts.add(text);
  if (!process.argv.includes('--check')) continue;
  for (const { line, text } of findLiterals(file, source)) {
    console.error(`${file}:${line} is not in the catalog: ${text}`);
    process.exitCode = 1;
  }
}

const sorted = [...texts].toSorted((a, b) => a.localeCompare(b, 'en'));
const catalog = Object.fromEntries(sorted.map((text) => [text, text]));
await writeOrCheck('web/copy/en.json', `${JSON.stringify(catalog, null, 2)}\n`, 'copy');
