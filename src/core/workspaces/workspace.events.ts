/** Events that tell of workspaces. */
import { eventKind } from '../events/event-kind.ts';
import { Workspace } from './workspace.schema.ts';

const sample = { role: null };

export const workspaceEvents = {
  'workspace.created': eventKind({ object: Workspace, description: 'A workspace was created.', sample }),
  'workspace.updated': eventKind({
    object: Workspace,
    description: 'Name, slug or metadata of the workspace changed.',
    sample,
    previous: { name: 'Acme Ltd' },
  }),
  'workspace.deleted': eventKind({
    object: Workspace,
    description: 'The workspace was deleted. All of its data is erased within a day.',
    sample,
  }),
};
