/** Events that tell of workspaces. */
import { eventKind } from '../events/event-kind.ts';
import { Workspace } from './workspace.schema.ts';

const kind = { surface: 'getting_started', scope: 'workspaces:read', object: Workspace } as const;
const sample = { role: null };

export const workspaceEvents = {
  'workspace.created': eventKind({ ...kind, description: 'A workspace was made.', sample }),
  'workspace.updated': eventKind({
    ...kind,
    description: 'Name, slug or metadata of the workspace changed.',
    sample,
    previous: { name: 'Acme Ltd' },
  }),
  'workspace.deleted': eventKind({
    ...kind,
    description: 'The workspace was deleted; all that is in it is erased within a day.',
    sample,
  }),
};
