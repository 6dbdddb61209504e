/** The bulk actions on links: their texts and their API calls. */
import { plural, t } from '../../copy/text.ts';
import { type BulkChange, deleteLinks, updateLinks } from '../../api/links.ts';

export type BulkActionName = 'archive' | 'restore' | 'add_tags' | 'remove_tags' | 'expire' | 'delete';

export interface BulkChoice {
  /** Names of the tags to add or remove. */
  tags: string[];
  /** RFC 3339; null: never. */
  expires_at: string | null;
}

interface BulkTexts {
  title: (count: number) => string;
  confirm: string;
  /** The consequence, shown in the dialog. */
  body: string;
  /** The toast. */
  done: (count: number) => string;
}

export const BULK_TEXTS: Record<BulkActionName, BulkTexts> = {
  archive: {
    title: (count) => plural(count, { one: 'Archive {count} link?', other: 'Archive {count} links?' }),
    confirm: t('Archive'),
    body: t(
      'Archived links stop redirecting until you restore them. Their slugs stay reserved, and their click data is kept.',
    ),
    done: (count) => plural(count, { one: '{count} link archived', other: '{count} links archived' }),
  },
  restore: {
    title: (count) => plural(count, { one: 'Restore {count} link?', other: 'Restore {count} links?' }),
    confirm: t('Restore'),
    body: t('The links redirect again, unless they have expired or reached their click limit.'),
    done: (count) => plural(count, { one: '{count} link restored', other: '{count} links restored' }),
  },
  add_tags: {
    title: (count) => plural(count, { one: 'Add tags to {count} link', other: 'Add tags to {count} links' }),
    confirm: t('Add tags'),
    body: t('The links keep the tags that they already have.'),
    done: (count) => plural(count, { one: '{count} link tagged', other: '{count} links tagged' }),
  },
  remove_tags: {
    title: (count) =>
      plural(count, { one: 'Remove tags from {count} link', other: 'Remove tags from {count} links' }),
    confirm: t('Remove tags'),
    body: t('Links without these tags stay unchanged.'),
    done: (count) =>
      plural(count, { one: 'Tags removed from {count} link', other: 'Tags removed from {count} links' }),
  },
  expire: {
    title: (count) =>
      plural(count, { one: 'Set expiration of {count} link', other: 'Set expiration of {count} links' }),
    confirm: t('Set expiration'),
    body: t('This replaces the current expiration of each link.'),
    done: (count) =>
      plural(count, { one: 'Expiration of {count} link set', other: 'Expiration of {count} links set' }),
  },
  delete: {
    title: (count) => plural(count, { one: 'Delete {count} link?', other: 'Delete {count} links?' }),
    confirm: t('Delete'),
    body: t(
      'This permanently deletes the links and their click data. Workspace totals stay, and the slugs can be reused. To pause links, archive them instead.',
    ),
    done: (count) => plural(count, { one: '{count} link deleted', other: '{count} links deleted' }),
  },
};

function toChange(action: Exclude<BulkActionName, 'delete'>, { tags, expires_at }: BulkChoice): BulkChange {
  if (action === 'add_tags') return { add_tags: tags };
  if (action === 'remove_tags') return { remove_tags: tags };
  if (action === 'expire') return { expires_at };
  return { archived: action === 'archive' };
}

export const getCall = (action: BulkActionName, ids: string[], choice: BulkChoice) =>
  action === 'delete' ? deleteLinks(ids) : updateLinks(ids, toChange(action, choice));
