/** The packed file, what it takes once it is installed, and what the container image holds of it. */
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folderSize } from '../support/folder-size.ts';
import type { Bench } from '../support/figure.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { ROOT } from '../../test/support/product.ts';

const run = promisify(execFile);
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

export const installSize: Bench = async () => {
  await using folder = await temporaryFolder();
  await run('npm', ['pack', '--silent', ...QUIET, '--pack-destination', folder.path], { cwd: ROOT });
  const [packed] = readdirSync(folder.path);
  const file = join(folder.path, packed!);
  const app = join(folder.path, 'app');
  await run('npm', ['install', '--prefix', app, ...QUIET, file]);
  const modules = join(app, 'node_modules');
  const sizes = new Map(
    readdirSync(modules)
      .filter((name) => !name.startsWith('.'))
      .map((name) => [name, folderSize(join(modules, name)) / 1e6]),
  );
  const installed = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  // The image takes Node from its base image's program file instead of npm.
  const nodes = [...sizes].filter(([name]) => name.startsWith('node-linux-'));
  const node = statSync(process.execPath).size / 1e6;
  const image = installed - nodes.reduce((sum, [, size]) => sum + size, 0) + node;
  const packedFile = statSync(file).size / 1e6;
  const largest = [...sizes].toSorted(([, a], [, b]) => b - a).slice(0, 5);
  return {
    title: 'Packed and installed size',
    method:
      'The file that `npm pack` creates, and the packages that `npm install` of it installs on this platform. The image contains these and Node as a single program file; its base image is not counted.',
    columns: ['', 'MB'],
    rows: [
      ['packed file', packedFile.toFixed(1)],
      ['installed', installed.toFixed(0)],
      ...largest.map(([name, size]) => [`of it \`${name}\``, size.toFixed(0)]),
      ['image, without its base', image.toFixed(0)],
    ],
    targets: [],
    values: { packedFile, installed, imageContent: image },
  };
};
