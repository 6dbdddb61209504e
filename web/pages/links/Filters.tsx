/** What narrows the list of links. */
import { Group, NativeSelect, Switch, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { linkHostsQuery } from '../../api/domains.ts';
import { linkCountQuery, type LinkFilter, type LinkSort } from '../../api/links.ts';
import { membersQuery } from '../../api/members.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { SearchField } from '../../ui/SearchField.tsx';
import type { LinkSearch } from './link-filter.ts';
import { LINK_STATES, numberOf } from './link-text.ts';
import classes from './links.module.css';

const TagsField = lazy(async () => ({ default: (await import('./TagsField.tsx')).TagsField }));

const MAX_SEARCH = 200;
const SPANS = [
  { value: '', label: 'Created any time' },
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];
const SORTS: { value: LinkSort; label: string }[] = [
  { value: 'created_at', label: 'Newest first' },
  { value: 'clicks', label: 'Most clicks first' },
  { value: 'last_clicked_at', label: 'Last clicked first' },
];

interface FiltersProps {
  search: LinkSearch;
  /** The same as the API takes it. */
  filter: LinkFilter;
  sort: LinkSort;
  go: (change: { [K in keyof LinkSearch]?: LinkSearch[K] | undefined }) => void;
  onSort: (sort: LinkSort) => void;
}

export function Filters({ search, filter, sort, go, onSort }: FiltersProps) {
  return (
    <Group gap="sm" mb="sm">
      <SearchField
        aria-label="Search links"
        placeholder="Slug, target, title …"
        className={classes.search}
        maxLength={MAX_SEARCH}
        query={search.q}
        onSearch={(q) => go({ q })}
      />
      <NativeSelect
        size="xs"
        aria-label="State"
        data={[{ value: '', label: 'Any state' }, ...LINK_STATES]}
        value={search.state ?? ''}
        onChange={({ currentTarget }) =>
          go({ state: LINK_STATES.find((state) => state === currentTarget.value) })
        }
      />
      <div className={classes.tagFilter}>
        <Suspense fallback={<TextInput size="xs" placeholder="Any tag" aria-label="Tags" disabled />}>
          <TagsField
            size="xs"
            aria-label="Tags"
            placeholder="Any tag"
            makes={false}
            value={search.tag?.split(',') ?? []}
            onChange={(names) => go({ tag: names.join(',') || undefined })}
          />
        </Suspense>
      </div>
      <DomainFilter search={search} go={go} />
      <NativeSelect
        size="xs"
        aria-label="Created"
        data={SPANS}
        value={search.since ?? ''}
        onChange={({ currentTarget }) => go({ since: currentTarget.value || undefined })}
      />
      <MakerFilter search={search} go={go} />
      <NativeSelect
        size="xs"
        aria-label="Order"
        data={SORTS}
        value={sort}
        onChange={({ currentTarget }) =>
          onSort(SORTS.find(({ value }) => value === currentTarget.value)?.value ?? 'created_at')
        }
      />
      <Switch
        size="xs"
        label="Password"
        aria-label="With a password"
        checked={search.protected ?? false}
        onChange={({ currentTarget }) => go({ protected: currentTarget.checked || undefined })}
      />
      <Count filter={filter} />
    </Group>
  );
}

/** How many there are; counted up to a limit. */
function Count({ filter }: { filter: LinkFilter }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(linkCountQuery(workspace.id, filter));
  if (!data) return null;
  return (
    <Text size="xs" c="dimmed" role="status" className={classes.count}>
      {`${numberOf(data.count)}${data.is_exact ? '' : ' or more'} ${data.count === 1 ? 'link' : 'links'}`}
    </Text>
  );
}

/** Where there is more than this server's own. */
function DomainFilter({ search, go }: Pick<FiltersProps, 'search' | 'go'>) {
  const { workspace } = useWorkspace();
  const { data: hosts = [] } = useQuery({
    ...linkHostsQuery(workspace.id),
    enabled: useCan('domains:read'),
  });
  const { domain } = search;
  if (hosts.length === 0 && domain === undefined) return null;
  const known = [...new Set([window.location.host, ...hosts, ...(domain === undefined ? [] : [domain])])];
  return (
    <NativeSelect
      size="xs"
      aria-label="Domain"
      data={[{ value: '', label: 'Any domain' }, ...known]}
      value={domain ?? ''}
      onChange={({ currentTarget }) => go({ domain: currentTarget.value || undefined })}
    />
  );
}

/** Where there is more than one member. */
function MakerFilter({ search, go }: Pick<FiltersProps, 'search' | 'go'>) {
  const { workspace } = useWorkspace();
  const { data: members = [] } = useInfiniteQuery({
    ...membersQuery(workspace.id),
    enabled: useCan('members:read'),
  });
  const { by } = search;
  if (members.length < 2 && by === undefined) return null;
  return (
    <NativeSelect
      size="xs"
      aria-label="Made by"
      data={[
        { value: '', label: 'By anybody' },
        ...members.map(({ id, name, email }) => ({ value: id, label: name ?? email ?? id })),
        ...(by === undefined || members.some(({ id }) => id === by) ? [] : [by]),
      ]}
      value={by ?? ''}
      onChange={({ currentTarget }) => go({ by: currentTarget.value || undefined })}
    />
  );
}
