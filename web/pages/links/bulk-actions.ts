/** What can be done with many links at once, as calls of the API. */
import type { CallExample } from '../../api/curl.ts';
import { type BulkAnswer, type BulkChange, deleteLinks, updateLinks } from '../../api/links.ts';

export type BulkAction = 'archive' | 'restore' | 'add_tags' | 'remove_tags' | 'expire' | 'delete';

export interface BulkChoice {
  /** Names that are added, or removed. */
  tags: string[];
  /** RFC 3339; null: never. */
  expires_at: string | null;
}

interface Words {
  /** What the dialog asks. */
  title: (links: string) => string;
  confirm: string;
  /** What will happen. */
  says: string;
  done: (links: string) => string;
}

export const WORDS: Record<BulkAction, Words> = {
  archive: {
    title: (links) => `Archive ${links}?`,
    confirm: 'Archive',
    says: 'They lead nowhere until you restore them. Their addresses stay taken, and their clicks stay.',
    done: (links) => `Archived ${links}`,
  },
  restore: {
    title: (links) => `Restore ${links}?`,
    confirm: 'Restore',
    says: 'They lead to their targets again, unless they are expired or used up.',
    done: (links) => `Restored ${links}`,
  },
  add_tags: {
    title: (links) => `Add tags to ${links}`,
    confirm: 'Add tags',
    says: 'Besides those that each has.',
    done: (links) => `Added tags to ${links}`,
  },
  remove_tags: {
    title: (links) => `Remove tags from ${links}`,
    confirm: 'Remove tags',
    says: 'Where they have them.',
    done: (links) => `Removed tags from ${links}`,
  },
  expire: {
    title: (links) => `Set when ${links} expire`,
    confirm: 'Set expiry',
    says: 'In the place of what each has now.',
    done: (links) => `Set the expiry of ${links}`,
  },
  delete: {
    title: (links) => `Delete ${links}?`,
    confirm: 'Delete',
    says: 'For good, and their clicks with them; the sums of the workspace stay. Whoever follows one finds nothing. To pause them, archive them instead.',
    done: (links) => `Deleted ${links}`,
  },
};

function changeOf(action: Exclude<BulkAction, 'delete'>, { tags, expires_at }: BulkChoice): BulkChange {
  if (action === 'add_tags') return { add_tags: tags };
  if (action === 'remove_tags') return { remove_tags: tags };
  if (action === 'expire') return { expires_at };
  return { archived: action === 'archive' };
}

/** The call as it is shown: with the first few ids. */
export function callOf(action: BulkAction, ids: readonly string[], choice: BulkChoice): CallExample {
  return action === 'delete'
    ? { method: 'DELETE', path: '/links/bulk', body: { ids } }
    : { method: 'PATCH', path: '/links/bulk', body: { ids, ...changeOf(action, choice) } };
}

export const execute = (
  workspaceId: string,
  action: BulkAction,
  ids: readonly string[],
  choice: BulkChoice,
): Promise<BulkAnswer['results']> =>
  action === 'delete'
    ? deleteLinks(workspaceId, ids)
    : updateLinks(workspaceId, ids, changeOf(action, choice));
