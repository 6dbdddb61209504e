/** Builds the console into dist/console. What it emits is served by src/app/console under /user/api. */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundleHash, CONSOLE, ROOT } from '../scripts/build/bundles.js';
import { stamp } from '../scripts/build/stamp.ts';
import { thirdPartyNotices } from '../scripts/build/third-party-notices.ts';
import { precompress } from './build/precompress.ts';

/** What nearly every page uses; dialogs, menus, progress and tips are loaded when they are wanted. */
const KIT =
  /web\/(api|ui\/(?!SideSheet|ConfirmDialog|SecretDialog|FormSheet|ImportDialog|ImportProgress|JobProgress|RowMenuOpen|tips|lazy))/;

export default defineConfig({
  root: import.meta.dirname,
  base: '/user/api/',
  cacheDir: join(ROOT, 'node_modules/.vite/console'),
  plugins: [react(), thirdPartyNotices(), precompress(), stamp(bundleHash(CONSOLE))],
  // The server puts a new nonce in its place with each answer.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: CONSOLE.output,
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: font would need a wider CSP.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A module a chunk would be sixty requests a page. What half of the lazy chunks share is one file, so are the
    // icons and the kit; the rest stays with what needs it. src/app/console/first-load.test.ts holds the sum.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'common', test: /\.(m?js|tsx?)$/, minShareCount: 48, priority: 3 },
            { name: 'icons', test: /@tabler/, priority: 2 },
            { name: 'kit', test: KIT, priority: 1 },
          ],
        },
      },
    },
  },
});
