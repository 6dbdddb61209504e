/**
 * `node scripts/build/server.ts OUT_DIR`: bundles the server, with its commands and workers, for Node.
 *
 * A bundle loads in a fifth of the time that its 2,000 source files take, and needs no type stripping. All chunks lie
 * directly in the output folder, with the migrations and the worker entries beside them, so code that refers to a file
 * beside it (`import.meta.dirname`, `new Worker`) finds it in the bundle as in the sources.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type OutputBundle, type Plugin, rolldown } from 'rolldown';
import { bundleHash, ROOT, SERVER } from './bundles.js';
import { stamp } from './stamp.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const MIGRATIONS = join(ROOT, 'src/platform/db/migrations');

/** What the launcher imports, and workers that are started by file name. */
const ENTRIES = {
  server: 'src/main.ts',
  admin: 'src/cli/admin.ts',
  backup: 'src/cli/backup.ts',
  restore: 'src/cli/restore.ts',
  move: 'src/cli/move.ts',
  'rotate-secret': 'src/cli/rotate-secret.ts',
  'worker-entry': 'src/platform/templates/worker-entry.js',
  'thumbnail-entry': 'src/surfaces/messaging/media/thumbnail-entry.js',
};

/** The program finds its threads and its WebAssembly by the name of its own file, so no chunk can contain it. */
const VIPS = 'wasm-vips';
const VIPS_FILES = ['vips-node.mjs', 'vips.wasm'];

/** Copies libvips beside the chunks, which load it from there. */
const vips = (): Plugin => ({
  name: 'fairlead:vips',
  resolveId: (id) => (id === VIPS ? { id: `./${VIPS_FILES[0]}`, external: true } : null),
  generateBundle() {
    for (const fileName of VIPS_FILES)
      this.emitFile({
        type: 'asset',
        fileName,
        source: readFileSync(join(ROOT, 'node_modules', VIPS, 'lib', fileName)),
      });
  },
});

/** What locates clicks without a setting. */
const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb';
const COUNTRIES_FILE = 'geo-whois-asn-country.mmdb';

/** Copies the database of countries beside the chunks. */
const countries = (): Plugin => ({
  name: 'fairlead:countries',
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: COUNTRIES_FILE,
      source: readFileSync(join(ROOT, 'node_modules', COUNTRIES, COUNTRIES_FILE)),
    });
  },
});

/** Copies the migrations beside the chunks. */
const migrations = (): Plugin => ({
  name: 'fairlead:migrations',
  generateBundle() {
    for (const file of readdirSync(MIGRATIONS))
      this.emitFile({
        type: 'asset',
        fileName: `migrations/${file}`,
        source: readFileSync(join(MIGRATIONS, file)),
      });
  },
});

/**
 * Escapes all characters beyond ASCII. V8 keeps the text of each loaded file, and two bytes a character if any of them
 * is beyond Latin-1: 6 MB more for the files that a server loads.
 */
const ascii = (): Plugin => ({
  name: 'fairlead:ascii',
  generateBundle(_options, bundle: OutputBundle) {
    for (const output of Object.values(bundle))
      if (output.type === 'chunk')
        output.code = output.code.replace(
          // oxlint-disable-next-line no-control-regex -- all of ASCII
          /[^\x00-\x7f]/g,
          (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'),
        );
  },
});

/** Fails the build if a chunk imports something that an installation doesn't have. */
const selfContained = (): Plugin => ({
  name: 'fairlead:self-contained',
  generateBundle(_options, bundle: OutputBundle) {
    for (const output of Object.values(bundle)) {
      if (output.type !== 'chunk') continue;
      const missing = [...output.imports, ...output.dynamicImports].filter(
        (name) => !isBuiltin(name) && !(name.replace(/^\.\//, '') in bundle),
      );
      if (missing.length) this.error(`${output.fileName} imports ${missing.join(', ')}`);
    }
  },
});

const [outDir = SERVER.output] = process.argv.slice(2);
const build = await rolldown({
  cwd: ROOT,
  input: ENTRIES,
  platform: 'node',
  tsconfig: false,
  // Of pg, loaded only by who asks for it.
  external: ['pg-native'],
  plugins: [
    migrations(),
    vips(),
    countries(),
    thirdPartyNotices([VIPS, COUNTRIES]),
    ascii(),
    selfContained(),
    stamp(bundleHash(SERVER)),
  ],
});
await build.write({
  dir: outDir,
  format: 'esm',
  // Names of functions stay, and a comment names the source before each module's code, so a stack trace can be read.
  minify: false,
  comments: { jsdoc: false },
  sourcemap: true,
  sourcemapExcludeSources: true,
});
await build.close();
// Node's cache of compiled code, which bin/launch.js fills: none of it is of this build.
await rm(join(ROOT, 'dist/compiled'), { recursive: true, force: true });
