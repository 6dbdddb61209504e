/** The actions on the selected rows; replaces the filters while rows are selected. */
import { Button, CloseButton } from '@mantine/core';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { type BulkAction, bulkActionsFor } from '../actions/action.ts';
import type { ListResult } from '../table/DataTable.tsx';
import classes from './list.module.css';
import type { Selection } from './use-selection.ts';

interface BulkBarProps<T> {
  selection: Selection<T>;
  actions: readonly BulkAction<T>[];
  list: Pick<ListResult<T>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}

export function BulkBar<T>({ selection, actions, list }: BulkBarProps<T>) {
  const { scopes } = useWorkspace();
  const { rows } = selection;
  return (
    <div className={classes.bulk} role="group" aria-label={t('Selected rows')}>
      <span className={classes.selected}>
        <span role="status">{t('{count} selected', { count: formatNumber(rows.length) })}</span>
        <CloseButton size="sm" aria-label={t('Clear selection')} onClick={selection.clear} />
        {selection.state === 'all' && list.hasNextPage && (
          <Button
            size="compact-xs"
            variant="subtle"
            loading={list.isFetchingNextPage ?? false}
            onClick={() => {
              selection.selectNext();
              void list.fetchNextPage?.();
            }}
          >
            {t('Select more')}
          </Button>
        )}
      </span>
      {bulkActionsFor(actions, rows, scopes).map(({ id, label, danger, run }) => (
        <Button
          key={id}
          size="xs"
          variant="default"
          {...(danger && { c: 'var(--mantine-color-error)' })}
          onClick={() => run(rows)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}
