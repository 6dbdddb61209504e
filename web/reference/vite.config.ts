/** Builds the API reference into dist/reference. What it emits is served by src/app/reference under /docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { bundleHash, REFERENCE, ROOT } from '../../scripts/build/bundles.js';
import { stamp } from '../../scripts/build/stamp.ts';
import { thirdPartyNotices } from '../../scripts/build/third-party-notices.ts';
import { precompress } from '../build/precompress.ts';
import { strictCsp } from './build/strict-csp.ts';

/** Puts the shared parts of the pages in the place of `<!--name-->`. */
const parts = (): Plugin => ({
  name: 'fairlead:parts',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replace(/<!--(bar-[a-z]+)-->/g, (_match, name: string) =>
        readFileSync(join(import.meta.dirname, `${name}.html`), 'utf8').trim(),
      ),
  },
});

export default defineConfig({
  root: import.meta.dirname,
  base: '/docs/',
  cacheDir: join(ROOT, 'node_modules/.vite/reference'),
  plugins: [parts(), strictCsp(), thirdPartyNotices(), precompress(), stamp(bundleHash(REFERENCE))],
  // The server puts a new nonce in its place with each answer.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: REFERENCE.output,
    emptyOutDir: true,
    target: 'es2022',
    // The first with light-dark(): its fallback can't follow a scheme that changes within the page.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: font would need a wider CSP.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      input: ['index.html', 'errors.html'].map((page) => join(import.meta.dirname, page)),
    },
  },
});
