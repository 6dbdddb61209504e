/** How much code there is: lines of source, and the server's bundle. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderSize } from '../support/folder-size.ts';
import type { Bench } from '../support/figure.ts';
import { ROOT } from '../../test/support/product.ts';

const SOURCE = /\.(ts|tsx|js|css|sql)$/;
const GENERATED = new Set([
  'src/platform/db/tables.ts',
  'web/api/schema.d.ts',
  'test/upgrade/first-schema.sql',
]);
const TEST = /\.(test|soak)\.ts$|(^|\/)testing(\.ts$|\/)|^test\//;

export const codeSize: Bench = async () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => SOURCE.test(file) && !GENERATED.has(file));
  const countLines = (belongs: (file: string) => boolean): number =>
    files
      .filter(belongs)
      .reduce((sum, file) => sum + readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1, 0);
  const isProduct = (file: string): boolean => /^(src|web|bin)\//.test(file) && !TEST.test(file);
  const productLines = countLines(isProduct);
  const testLines = countLines((file) => TEST.test(file));
  const otherLines = countLines((file) => !isProduct(file) && !TEST.test(file));
  const bundle = folderSize(join(ROOT, 'dist/server'), (path) => path.endsWith('.js')) / 1e6;
  return {
    title: 'Code',
    method:
      'Lines of TypeScript, JavaScript, CSS and SQL in the repository, without generated files; the bundle without its source maps.',
    columns: ['', ''],
    rows: [
      ['product, lines', productLines],
      ['tests, lines', testLines],
      ['benchmarks, scripts and configuration, lines', otherLines],
      ['server bundle, MB', bundle.toFixed(1)],
    ],
    targets: [],
    values: { productLines, testLines, serverBundle: bundle },
  };
};
