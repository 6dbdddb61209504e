/** The number of matching links and their order, beside the filters. */
import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linkCountQuery, type LinkFilter, type LinkSort } from '../../api/links.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, plural, t } from '../../copy/text.ts';

const SORTS: { value: LinkSort; label: string }[] = [
  { value: 'created_at', label: t('Newest first') },
  { value: 'clicks', label: t('Most clicks first') },
  { value: 'last_clicked_at', label: t('Last clicked first') },
];

interface SortAndCountProps {
  filter: LinkFilter;
  sort: LinkSort;
  onSort: (sort: LinkSort) => void;
}

export function SortAndCount({ filter, sort, onSort }: SortAndCountProps) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(linkCountQuery(workspace.id, filter));
  return (
    <>
      {data && (
        <Text span size="xs" c="dimmed" role="status">
          {data.is_exact
            ? plural(data.count, { one: '{count} link', other: '{count} links' })
            : t('{count} or more links', { count: formatNumber(data.count) })}
        </Text>
      )}
      <NativeSelect
        size="xs"
        aria-label={t('Sort by')}
        data={SORTS}
        value={sort}
        onChange={({ currentTarget }) =>
          onSort(SORTS.find(({ value }) => value === currentTarget.value)?.value ?? 'created_at')
        }
      />
    </>
  );
}
