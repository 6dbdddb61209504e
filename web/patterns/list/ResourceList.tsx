/**
 * The page of a list: header, search, filters as chips, choice of columns, saved views, selection with bulk actions, the
 * table, and its empty states. Search, filters and the open record live in the address of the page.
 */
import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { IconAdjustmentsHorizontal, IconFilter } from '@tabler/icons-react';
import { type ComponentProps, Suspense, useState } from 'react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { SearchField } from '../../design/SearchField.tsx';
import type { Action, BulkAction } from '../actions/action.ts';
import { ActionMenu } from '../actions/ActionMenu.tsx';
import { lazily } from '../lazily.ts';
import { lazyDialog } from '../lazy-dialogs.tsx';
import { NoMatch } from '../ListStates.tsx';
import { cellClass } from '../table/cell-class.ts';
import type { Column } from '../table/column.ts';
import { DataTable, type DataTableProps, getName } from '../table/DataTable.tsx';
import type { Example } from './ExampleRows.tsx';
import { clearAll, type Filter, isSet, without } from './filter.ts';
import { FilterChip } from './FilterChip.tsx';
import classes from './list.module.css';
import { useStored } from './stored.ts';
import { type Selection, useSelection } from './use-selection.ts';
import type { SavedView } from './ViewMenu.tsx';

const BulkBar = lazily(() => import('./BulkBar.tsx'), 'BulkBar');
const ExampleRows = lazily(() => import('./ExampleRows.tsx'), 'ExampleRows');
const FilterSheet = lazyDialog(() => import('./FilterSheet.tsx'), 'FilterSheet');
const ViewMenu = lazily(() => import('./ViewMenu.tsx'), 'ViewMenu');

export interface ResourceListProps<T extends { id: string }> extends Omit<DataTableProps<T>, 'label'> {
  /** Of the stored columns and views, unique among the lists: "links". */
  name: string;
  /** Also names the table. Null where a page has a header of its own. */
  title: string;
  description?: React.ReactNode;
  /** No page header: the list is a part of a page. */
  part?: boolean;
  /** Buttons of the header: import, export, create. */
  buttons?: React.ReactNode;
  /** Between header and filters. */
  notice?: React.ReactNode;
  /** Placeholder of the search field; omitted for lists without search. The text is the parameter `q`. */
  search?: string;
  filters?: readonly Filter[];
  /** Beside the filters: a count, a sort order. */
  beside?: React.ReactNode;
  /** A sample record, shown while the list is empty. */
  example?: Example<T>;
  /** Of each row, in a menu at its end. */
  actions?: readonly Action<T>[];
  /** Of the selected rows; with them, rows can be selected. */
  bulk?: readonly BulkAction<T>[];
}

export function ResourceList<T extends { id: string }>(props: ResourceListProps<T>) {
  const { name, title, description, part = false, buttons, notice, filters = [], bulk, actions } = props;
  const { rowLabel = getName } = props;
  const { workspace } = useWorkspace();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (change: Record<string, unknown>) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...change }),
      replace: true,
    });
  const [hidden, setHidden] = useStored<string[]>(`fairlead.columns.${name}`, []);
  const [views, setViews] = useStored<SavedView[]>(`fairlead.views.${workspace.id}.${name}`, []);
  const selection = useSelection(props.list.data ?? []);
  // On a phone, chips would take the rows of the screen that the list is looked at for.
  const [unfolded, setUnfolded] = useState(false);
  const isFoldable = filters.length > 1;
  const active = filters.filter((filter) => isSet(filter, search)).length;
  const isFiltered = search['q'] !== undefined || active > 0;
  const chips = (
    <>
      {filters.map((filter) => (
        <FilterChip
          key={filter.key}
          filter={filter}
          value={toValue(search[filter.key])}
          onChange={(value) => go({ ...without(filter.clears ?? []), [filter.key]: value })}
        />
      ))}
      {isFiltered && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={() => go(clearAll(filters))}>
          {t('Clear filters')}
        </Button>
      )}
    </>
  );
  const isEmpty = !isFiltered && props.list.data?.length === 0;
  const shown = props.columns.filter(({ key, fixed }) => fixed || !hidden.includes(key));
  const columns = [
    ...(bulk ? [checkColumn(selection, rowLabel)] : []),
    ...shown,
    ...(actions ? [menuColumn(actions, rowLabel)] : []),
  ];
  const current = isFiltered
    ? Object.fromEntries(['q', ...filters.map(({ key }) => key)].map((key) => [key, search[key]]))
    : null;
  return (
    <>
      {!part && (
        <PageHeader title={title} description={description}>
          {buttons}
        </PageHeader>
      )}
      {notice}
      {!isEmpty && selection.rows.length > 0 && bulk ? (
        <Suspense>
          <BulkBar selection={selection} actions={bulk} list={props.list} />
        </Suspense>
      ) : (
        !isEmpty && (
          <div className={classes.bar}>
            {props.search !== undefined && (
              <SearchField
                className={classes.search}
                aria-label={t('Search {title}', { title: title.toLowerCase() })}
                placeholder={props.search}
                maxLength={200}
                query={getText(search['q'])}
                onSearch={(q) => go({ q })}
              />
            )}
            {isFoldable && (
              <Button
                className={classes.fold}
                size="xs"
                variant="default"
                leftSection={<IconFilter size={14} />}
                aria-haspopup="dialog"
                onClick={() => setUnfolded(true)}
              >
                {active === 0 ? t('Filters') : t('Filters ({count})', { count: formatNumber(active) })}
              </Button>
            )}
            <div className={classes.chips} data-folded={isFoldable || undefined}>
              {chips}
            </div>
            <FilterSheet opened={unfolded} onClose={() => setUnfolded(false)}>
              {chips}
            </FilterSheet>
            <span className={classes.end}>
              {props.beside}
              {part && buttons}
              <ViewButton
                columns={props.columns.filter(({ fixed }) => !fixed)}
                hidden={hidden}
                onHidden={setHidden}
                views={views}
                onViews={setViews}
                current={current}
                onApply={(view) => go({ ...clearAll(filters), ...view.search })}
              />
            </span>
          </div>
        )
      )}
      <DataTable
        {...props}
        label={title}
        columns={columns}
        empty={
          isFiltered ? (
            <NoMatch
              clear={() => go(clearAll(filters))}
              further={
                props.list.hasNextPage && props.list.fetchNextPage
                  ? () => void props.list.fetchNextPage?.()
                  : undefined
              }
            />
          ) : (
            <>
              {props.example && (
                <Suspense>
                  <ExampleRows example={props.example} columns={shown} />
                </Suspense>
              )}
              {props.empty}
            </>
          )
        }
      />
    </>
  );
}

/** Of windows, as `Column.from` names them, narrowest first. */
const WIDTHS = ['medium', 'wide', 'widest'] as const;

/** Opens the choice of columns and views, which is loaded with its first use. */
function ViewButton(props: Omit<ComponentProps<typeof ViewMenu>, 'button' | 'columnsClass'>) {
  const { columns, views, current } = props;
  const [wanted, setWanted] = useState(false);
  const narrowest = WIDTHS.find((from) => columns.some((column) => column.from === from));
  const first = columns.every(({ from }) => from) && columns.find(({ from }) => from === narrowest);
  const columnsClass = first ? cellClass(first) : undefined;
  const button = (
    <ActionIcon
      variant="default"
      size={28}
      aria-label={t('View')}
      data-tip={t('View options')}
      onClick={() => setWanted(true)}
    >
      <IconAdjustmentsHorizontal size={15} />
    </ActionIcon>
  );
  return (
    <span className={views.length === 0 && current === null ? columnsClass : undefined}>
      <Suspense fallback={button}>
        {wanted ? <ViewMenu button={button} columnsClass={columnsClass} {...props} /> : button}
      </Suspense>
    </span>
  );
}

const getText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const toValue = (value: unknown): string | true | undefined => (value === true ? true : getText(value));

function checkColumn<T extends { id: string }>(
  selection: Selection<T>,
  rowLabel: (row: T) => string,
): Column<T> {
  return {
    key: 'select',
    fixed: true,
    width: 28,
    title: (
      <Checkbox
        size="xs"
        classNames={{ input: classes.select }}
        aria-label={t('Select all')}
        checked={selection.state === 'all'}
        indeterminate={selection.state === 'some'}
        onChange={selection.toggleAll}
      />
    ),
    render: (row) => (
      <Checkbox
        size="xs"
        classNames={{ input: classes.select }}
        aria-label={t('Select {name}', { name: rowLabel(row) })}
        checked={selection.has(row.id)}
        onChange={() => undefined}
        // The change event doesn't know of Shift.
        onClick={(event) => selection.toggle(row.id, event.shiftKey)}
      />
    ),
  };
}

const menuColumn = <T extends { id: string }>(
  actions: readonly Action<T>[],
  rowLabel: (row: T) => string,
): Column<T> => ({
  key: 'menu',
  fixed: true,
  title: '',
  label: t('Actions'),
  width: 36,
  render: (row) => <ActionMenu record={row} of={rowLabel(row)} actions={actions} />,
});
