/** Clicks on all links of the workspace, or on those of a domain or with a tag. */
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { analyticsExportPath, type AnalyticsQuery } from '../../api/analytics.ts';
import { linkHostsQuery } from '../../api/domains.ts';
import { linksQuery } from '../../api/links.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useAsked } from './analytics-search.ts';
import { Breakdown } from './Breakdown.tsx';
import { NoClicks } from './NoClicks.tsx';
import { RangePicker } from './RangePicker.tsx';
import { TopLinks } from './TopLinks.tsx';
import classes from './analytics.module.css';

const TagsField = lazy(async () => ({ default: (await import('../links/TagsField.tsx')).TagsField }));

const route = getRouteApi('/w/$workspace/analytics');

/** No event is followed: a busy workspace has thousands of clicks a second. */
const REFETCH_MS = 15_000;

export function Analytics() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = (change: { [K in keyof typeof search]?: (typeof search)[K] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const { domain, tag } = search;
  const about: Pick<AnalyticsQuery, 'domain' | 'tag'> = {
    ...(domain !== undefined && { domain }),
    ...(tag !== undefined && { tag }),
  };
  const asked = { ...about, ...useAsked(search) };
  return (
    <>
      <PageHeader title="Analytics" description="Who follows your links: when, from where and with what.">
        <ExportButton path={analyticsExportPath(asked)} fileName="clicks-by-time.csv" />
      </PageHeader>
      <div className={classes.controls}>
        <RangePicker search={search} go={go} />
        <Group gap="sm">
          <DomainFilter domain={domain} onChange={(host) => go({ domain: host })} />
          <div className={classes.tagFilter}>
            <Suspense fallback={<TextInput size="xs" placeholder="Any tag" aria-label="Tag" disabled />}>
              <TagsField
                size="xs"
                aria-label="Tag"
                placeholder="Any tag"
                makes={false}
                value={tag === undefined ? [] : [tag]}
                // One at a time: the last that was picked.
                onChange={(names) => go({ tag: names.at(-1) })}
              />
            </Suspense>
          </div>
        </Group>
      </div>
      <Breakdown
        about={about}
        search={search}
        go={go}
        refetchMs={REFETCH_MS}
        empty={<NothingClicked search={search} go={go} />}
        first={(of) => <TopLinks asked={of} search={search} refetchMs={REFETCH_MS} />}
      />
    </>
  );
}

/** The link to follow is the one that was clicked last, or where none was, any. */
function NothingClicked(props: Pick<React.ComponentProps<typeof NoClicks>, 'search' | 'go'>) {
  const { workspace } = useWorkspace();
  const writes = useCan('links:write');
  const { data: links } = useInfiniteQuery(linksQuery(workspace.id, {}, 'last_clicked_at'));
  return (
    <NoClicks
      {...props}
      shortUrl={links?.[0]?.short_url}
      ever={(links?.[0]?.last_clicked_at ?? null) !== null}
      action={
        writes &&
        links?.length === 0 && (
          <ButtonLink
            to="/w/$workspace/links"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
            leftSection={<IconPlus size={16} />}
          >
            Create link
          </ButtonLink>
        )
      }
    />
  );
}

interface DomainFilterProps {
  domain: string | undefined;
  onChange: (host: string | undefined) => void;
}

function DomainFilter({ domain, onChange }: DomainFilterProps) {
  const { workspace } = useWorkspace();
  const { data: hosts = [] } = useQuery({
    ...linkHostsQuery(workspace.id),
    enabled: useCan('domains:read'),
  });
  const known = [...new Set([window.location.host, ...hosts, ...(domain === undefined ? [] : [domain])])];
  return (
    <NativeSelect
      size="xs"
      aria-label="Domain"
      data={[{ value: '', label: 'Any domain' }, ...known]}
      value={domain ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}
