/** Builds the console into dist/console. What it emits is served by src/app/console under /user/api. */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { bundleHash, CONSOLE, ROOT } from '../scripts/build/bundles.js';
import { stamp } from '../scripts/build/stamp.ts';
import { thirdPartyNotices } from '../scripts/build/third-party-notices.ts';
import { precompress } from './build/precompress.ts';

/** What nearly every page uses. Dialogs, menus, sheets, forms and progress are loaded on demand. */
const KIT =
  /web\/(api|design\/(?!SideSheet|tooltip|NumberField|CountField|RateFields|duration-text|size-text)|patterns\/(actions|table\/(?!Virtual)|list\/(ResourceList|FilterChip|filter|spans|stored|use-|list\.module)|AsCurl|ListStates|PageStates|ProblemAlert|RowMenu\.|RecordSheet|ObjectName|field-errors|detail|Detail|lazily|lazy-dialogs|use-back))/;

/** Parts of Mantine, with their libraries, that come with the first menu, or with the first dialog. */
const FLOATING = /@floating-ui|components\/(Popover|Menu|Tooltip)\//;
const OVERLAY =
  /react-remove-scroll|react-style-singleton|use-sidecar|use-callback-ref|components\/(Modal|ModalBase|Drawer|ScrollArea)\/(?!utils)/;

/**
 * Preact or React, its hooks, the router, the cache, what loads lazy chunks, and the language, for which all of them
 * wait: they import nothing else. The chunk of a language must not import them either: each would wait for the other.
 */
const PREACT =
  /web\/(preact\.ts|copy\/text)|node_modules\/(preact|react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|store|react-store|react-query|query-core)|@mantine\/hooks)\/|vite\/preload-helper/;

/** Small parts of Mantine that the overview and half of the pages use: they come with the kit. */
const PARTS =
  /@mantine\/core\/esm\/(components\/(Center|SegmentedControl|FloatingIndicator|Checkbox|InlineInput|DataList|Radio\/RadioIcon|Accordion\/AccordionChevron)|core\/utils\/(get-env|primitive|units-converters\/px|noop))/;

/** Libraries alone: a chunk that the kit imports must not import the kit. */
const COMMON = new RegExp(`^(?=.*node_modules)(?!.*(${FLOATING.source}|${OVERLAY.source})).*\\.m?js$`);

/** What the frame and the overview share with few pages. */
const FRAME =
  /web\/(api\/(server-status|requests|queue|deliveries)|design\/([Ii]nitial|chart-colors|nonce)|patterns\/(search-params|activity\/(RangeControl|activity-range|[Bb]ars))|app\/(nav|last-workspace|shell\.module)|features\/.*(-params|queue-alert|object-link|event-object|EventObjectName))/;

/**
 * Preact in the place of React, for libraries too: React would add 60 kB to a first visit. `npm run test:react` builds
 * without it, which shows whether a fault of the console comes from Preact.
 */
const PREACT_AS_REACT = [
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react\/(jsx-runtime|jsx-dev-runtime)$/, replacement: 'preact/compat/$1' },
  { find: /^react(-dom)?$/, replacement: join(import.meta.dirname, 'preact.ts') },
];

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: '/user/api/',
  cacheDir: join(ROOT, 'node_modules/.vite/console'),
  plugins: [react(), thirdPartyNotices(), precompress(), stamp(bundleHash(CONSOLE))],
  // The server puts a new nonce in its place with each answer.
  html: { cspNonce: '__NONCE__' },
  resolve: { alias: mode === 'react' ? [] : PREACT_AS_REACT },
  build: {
    outDir: CONSOLE.output,
    emptyOutDir: true,
    manifest: true,
    cssCodeSplit: false,
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
          includeDependenciesRecursively: false,
          groups: [
            { name: 'floating', test: FLOATING, priority: 2 },
            { name: 'overlay', test: OVERLAY, priority: 2 },
            // Every chunk runs after Preact, so it imports no other.
            { name: 'preact', test: PREACT, priority: 7 },
            { name: 'icons', test: /@tabler/, minShareCount: 2, priority: 6 },
            { name: 'common', test: COMMON, minShareCount: 48, priority: 5 },
            { name: 'frame', test: FRAME, priority: 4 },
            {
              name: 'workbench',
              test: /patterns\/workbench\/(use-|typed-faults|json-text|workbench\.module)/,
              priority: 4,
            },
            { name: 'kit', test: new RegExp(`${KIT.source}|${PARTS.source}`), minShareCount: 6, priority: 3 },
          ],
        },
      },
    },
  },
}));
