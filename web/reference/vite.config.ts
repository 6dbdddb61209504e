/** Builds the API reference into dist/reference. What it emits is served by src/reference under /docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { bundleHash } from '../../src/console/build.ts';
import { REFERENCE } from '../../src/reference/build.ts';
import { precompress } from '../build/precompress.ts';
import { stamp } from '../build/stamp.ts';
import { strictCsp } from './build/strict-csp.ts';

/** Puts the shared parts of the pages in the place of `<!--name-->`. */
const parts = (): Plugin => ({
  name: 'fairlead:parts',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replace(/<!--(bar-[a-z]+)-->/g, (_match, name: string) =>
        readFileSync(join(REFERENCE.sources, `${name}.html`), 'utf8').trim(),
      ),
  },
});

export default defineConfig({
  root: REFERENCE.sources,
  base: '/docs/',
  cacheDir: fileURLToPath(new URL('../../node_modules/.vite/reference', import.meta.url)),
  plugins: [parts(), strictCsp(), precompress(), stamp(bundleHash(REFERENCE))],
  // The server puts a new nonce in its place with each answer.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: REFERENCE.output,
    emptyOutDir: true,
    target: 'es2022',
    // A data: font would need a wider CSP.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      input: ['index.html', 'errors.html'].map((page) => join(REFERENCE.sources, page)),
    },
  },
});
