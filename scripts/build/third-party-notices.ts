/**
 * Build plugin that writes the licenses of the packages in a bundle beside it. Licenses such as MIT and Apache-2.0 ask
 * whoever passes their code on to pass the notice on too.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { ROOT } from './bundles.js';

const FILE = 'THIRD-PARTY-NOTICES.txt';
const LICENSE_FILES = /^(licen[cs]e|copying|notice|third-party-notices)/i;
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

interface PackageJson {
  name: string;
  version: string;
  license?: string;
  repository?: string | { url: string };
}

/** Returns one package's part of the file: its name and version, then the text of each of its license files. */
function notice(folder: string): string {
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as PackageJson;
  const source = typeof repository === 'object' ? repository.url : repository;
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILES.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const title = [`${name} ${version}`, `License: ${license}`, ...(source ? [source] : [])];
  return [title.join('\n'), ...texts].join('\n\n');
}

/**
 * Emits `THIRD-PARTY-NOTICES.txt` for every package that a module of the build belongs to.
 * @param copied packages of which the build copies files
 */
export function thirdPartyNotices(copied: readonly string[] = []): Plugin {
  return {
    name: 'fairlead:third-party-notices',
    generateBundle() {
      const folders = new Set(copied.map((name) => join(ROOT, 'node_modules', name)));
      for (const id of this.getModuleIds()) {
        const [folder] = PACKAGE_FOLDER.exec(id) ?? [];
        if (folder && existsSync(join(folder, 'package.json'))) folders.add(folder);
      }
      const notices = [...folders].map(notice).toSorted();
      const source = `This software contains the following packages.\n\n${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
      this.emitFile({ type: 'asset', fileName: FILE, source });
    },
  };
}
