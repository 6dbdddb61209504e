/** What a developer edits outside the folders of a new surface, `notes`, with one noun, two events, a counter and a job. */
import type { Edit } from './copy-of-product.ts';

/** A check or test of the copy that fails where an edit is forgotten. */
export type Check =
  | 'types'
  | 'types of the console'
  | 'src/app/surfaces.test.ts'
  | 'src/surfaces/notes/note.test.ts';

export interface NeededEdit extends Edit {
  what: string;
  caughtBy: Check;
  /** In what the check says. */
  says: RegExp;
}

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
    says: /nouns\.ts.*'"notes"' is not assignable/,
  },
  {
    what: 'the noun',
    file: NOUNS,
    after: '    page: (object) => `budgets?id=${get(object, \'id\')}`,\n  },\n',
    insert: "  note: {\n    page: list('notes'),\n  },\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'the prefix of its IDs',
    file: NOUNS,
    after: '  note: {\n',
    insert: "    prefix: 'note',\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'the scope that reads it',
    file: NOUNS,
    after: "    prefix: 'note',\n",
    insert: "    read: 'notes:read',\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'the surface of its events',
    file: NOUNS,
    after: "    read: 'notes:read',\n",
    insert: "    surface: 'notes',\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'its events',
    file: NOUNS,
    after: "    surface: 'notes',\n",
    insert: "    events: ['created', 'deleted'],\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'its quota',
    file: NOUNS,
    after: "    events: ['created', 'deleted'],\n",
    insert: "    quotas: ['notes'],\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'its scopes',
    file: 'src/core/vocabulary/scopes.ts',
    after: "  rules: 'rules',\n",
    insert: "  notes: 'notes',\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'the tag of its operations',
    file: 'src/core/api/tags.ts',
    after: "      Integrations: 'Files for importing this server into other tools.',\n    },\n  },\n",
    insert: "  { name: 'Notes', tags: { Notes: 'What your team should remember.' } },\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'the import of the surface',
    file: SURFACES,
    after: "import { createModels, modelsSurface } from '../surfaces/models/models.ts';\n",
    insert: "import { createNotes, notesSurface } from '../surfaces/notes/notes.ts';\n",
    caughtBy: 'types',
    says: /./,
  },
  {
    what: 'its declaration',
    file: SURFACES,
    after: '  automationSurface,\n  modelsSurface,\n',
    insert: '  notesSurface,\n',
    caughtBy: 'src/app/surfaces.test.ts',
    says: /./,
  },
  {
    what: 'its start',
    file: SURFACES,
    after: 'all: [messaging, links, automation, models',
    insert: ', createNotes(deps)',
    caughtBy: 'src/surfaces/notes/note.test.ts',
    says: /./,
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
    caughtBy: 'types of the console',
    says: /./,
  },
  {
    what: 'the icon in the navigation',
    file: NAV,
    after: '  IconMessages,\n',
    insert: '  IconNote,\n',
    caughtBy: 'types of the console',
    says: /./,
  },
  {
    what: 'the path in the navigation',
    file: NAV,
    after: "  | '/w/$workspace/domains'\n",
    insert: "  | '/w/$workspace/notes'\n",
    caughtBy: 'types of the console',
    says: /./,
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
    says: /./,
  },
  {
    what: 'its place among the routes',
    file: ROUTER,
    after: '    domains,\n    publishing,\n',
    insert: '    notes,\n',
    caughtBy: 'types of the console',
    says: /./,
  },
  {
    what: 'the icon of its noun',
    file: CONSOLE_NOUNS,
    after: '  IconMessages,\n',
    insert: '  IconNote,\n',
    caughtBy: 'types of the console',
    says: /./,
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
    says: /./,
  },
];
