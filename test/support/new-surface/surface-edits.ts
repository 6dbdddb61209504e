/** What a developer edits outside the folders of a new surface, `notes`, with one noun, two events, a counter and a job. */
import type { NeededEdit } from './omission.ts';

const NOUNS = 'src/core/vocabulary/nouns.ts';
const SURFACES = 'src/app/surfaces.ts';
const NAV = 'web/app/nav.ts';
const ROUTER = 'web/app/router.tsx';
const CONSOLE_NOUNS = 'web/api/nouns.ts';

export const SERVER_EDITS: readonly NeededEdit[] = [
  {
    what: 'the name of the surface',
    file: NOUNS,
    after: "'getting_started', 'messaging', 'short_links', 'automation', 'models'",
    insert: ", 'notes'",
    caughtBy: 'types',
    says: /nouns\.ts.*Type '"notes"' is not assignable/,
  },
  {
    what: 'the noun',
    file: NOUNS,
    after: "    page: (object) => `budgets?id=${get(object, 'id')}`,\n  },\n",
    insert: `  note: {
    prefix: 'note',
    read: 'notes:read',
    surface: 'notes',
    events: ['created', 'deleted'],
    quotas: ['notes'],
    page: list('notes'),
  },
`,
    caughtBy: 'types',
    says: /'"note"' is not assignable to type 'AuditTarget/,
    parts: [
      {
        what: 'the prefix of its IDs',
        text: "    prefix: 'note',\n",
        caughtBy: 'types',
        says: /'"note"' is not assignable to parameter of type 'IdKind'/,
      },
      {
        what: 'the scope that reads it',
        text: "    read: 'notes:read',\n",
        caughtBy: 'src/core/vocabulary/nouns.test.ts',
        says: /× a noun with events has a surface, and a scope that shows them/,
      },
      {
        what: 'the surface of its events',
        text: "    surface: 'notes',\n",
        caughtBy: 'src/core/vocabulary/nouns.test.ts',
        says: /× a noun with events has a surface, and a scope that shows them/,
      },
      {
        what: 'its events',
        text: "    events: ['created', 'deleted'],\n",
        caughtBy: 'types',
        says: /'"note\.created"' is not assignable to type 'EventType'/,
      },
      {
        what: 'its quota',
        text: "    quotas: ['notes'],\n",
        caughtBy: 'types',
        says: /'"notes"' is not assignable to parameter of type 'QuotaResource'/,
      },
      {
        what: 'its page',
        text: "    page: list('notes'),\n",
        caughtBy: 'src/core/vocabulary/nouns.test.ts',
        says: /× a noun with events has a page of the console/,
      },
    ],
  },
  {
    what: 'its scopes',
    file: 'src/core/vocabulary/scopes.ts',
    after: "  rules: 'rules',\n",
    insert: "  notes: 'notes',\n",
    caughtBy: 'types',
    says: /'"notes:read"' is not assignable to type 'Scope/,
  },
  {
    what: 'the tag of its operations',
    file: 'src/core/api/tags.ts',
    after: "      Integrations: 'Files for importing this server into other tools.',\n    },\n  },\n",
    insert: "  { name: 'Notes', tags: { Notes: 'What your team should remember.' } },\n",
    caughtBy: 'types',
    says: /'"Notes"' is not assignable to type 'Tag'/,
  },
  {
    what: 'the import of the surface',
    file: SURFACES,
    after: "import { createModels, modelsSurface } from '../surfaces/models/models.ts';\n",
    insert: "import { createNotes, notesSurface } from '../surfaces/notes/notes.ts';\n",
    caughtBy: 'types',
    says: /Cannot find name 'notesSurface'/,
  },
  {
    what: 'its declaration',
    file: SURFACES,
    after: '  automationSurface,\n  modelsSurface,\n',
    insert: '  notesSurface,\n',
    caughtBy: 'src/app/surfaces.test.ts',
    says: /× covers each type of the catalogs and no other/,
  },
  {
    what: 'its start',
    file: SURFACES,
    after: 'all: [messaging, links, automation, models',
    insert: ', createNotes(deps)',
    caughtBy: 'src/surfaces/notes/note.test.ts',
    says: /× a note is created, read, listed and deleted, with its events/,
  },
];

export const CONSOLE_EDITS: readonly NeededEdit[] = [
  {
    what: 'its page in the navigation',
    file: NAV,
    after: "        keywords: 'host dns txt record verify',\n      },\n    ],\n  },\n",
    insert: `  {
    label: t('Notes'),
    items: [{ label: t('Notes'), to: '/w/$workspace/notes', icon: IconNote, scope: 'notes:read' }],
  },
`,
    caughtBy: 'web/app/nav.test.ts',
    says: /× the navigation leads to the page of every noun/,
  },
  {
    what: 'the icon in the navigation',
    file: NAV,
    after: '  IconMessages,\n',
    insert: '  IconNote,\n',
    caughtBy: 'types of the console',
    says: /nav\.ts.*Cannot find name 'IconNote'/,
  },
  {
    what: 'the path in the navigation',
    file: NAV,
    after: "  | '/w/$workspace/domains'\n",
    insert: "  | '/w/$workspace/notes'\n",
    caughtBy: 'types of the console',
    says: /'"\/w\/\$workspace\/notes"' is not assignable to type 'PagePath'/,
  },
  {
    what: 'its route',
    file: ROUTER,
    after: "import('../features/settings/Settings.tsx')),\n    'Settings',\n  ),\n});\n",
    insert: `
const notes = createRoute({
  getParentRoute: () => workspace,
  path: '/notes',
  validateSearch: searchParams({ create: flag }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/notes/Notes.tsx')), 'Notes'),
});
`,
    caughtBy: 'types of the console',
    says: /router\.tsx.*Cannot find name 'notes'/,
  },
  {
    what: 'its place among the routes',
    file: ROUTER,
    after: '    domains,\n    publishing,\n',
    insert: '    notes,\n',
    caughtBy: 'types of the console',
    says: /'"\/w\/\$workspace\/notes"' is not assignable/,
  },
  {
    what: 'the icon of its noun',
    file: CONSOLE_NOUNS,
    after: '  IconMessages,\n',
    insert: '  IconNote,\n',
    caughtBy: 'types of the console',
    says: /nouns\.ts.*Cannot find name 'IconNote'/,
  },
  {
    what: 'its noun, which search and links know',
    file: CONSOLE_NOUNS,
    after: "    page: sheet('/w/$workspace/requests'),\n  },\n",
    insert: `  note: {
    type: 'note',
    one: t('Note'),
    many: t('Notes'),
    icon: IconNote,
    page: () => ({ to: '/w/$workspace/notes' }),
  },
`,
    caughtBy: 'web/api/nouns.test.ts',
    says: /× every object with an ID and a page is known/,
  },
];

/** Of the tests over all operations, which make an object of each kind. */
export const TEST_EDITS: readonly NeededEdit[] = [
  {
    what: 'how tests make one',
    file: 'test/support/makers.ts',
    after: "(await callAsOwner(home, '/tags', { name: `tag ${++made}` })).id,\n",
    insert:
      "  [ID_PREFIXES.note]: async (_app, home) => (await callAsOwner(home, '/notes', { text: 'A note.' })).id,\n",
    caughtBy: 'test/contract/changes.test.ts',
    says: /notes\.get: no maker for ids with the prefix note_; add one to MAKERS in test\/support\/makers\.ts/,
  },
  {
    what: 'that an operation answers with what it created',
    file: 'test/contract/writes.test.ts',
    after: "  'budgets.create',\n",
    insert: "  'notes.create',\n",
    caughtBy: 'test/contract/writes.test.ts',
    says: /if it creates the object, add it to CREATES/,
  },
];
