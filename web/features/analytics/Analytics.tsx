/** Analytics of all links of the workspace, or of the links of one domain or tag. */
import { Group, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import { linksQuery } from '../../api/links.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { useAsked } from './analytics-search.ts';
import { ExportClicks } from './ExportClicks.tsx';
import { NoClicks } from './NoClicks.tsx';
import { RangePicker } from './RangePicker.tsx';
import classes from './analytics.module.css';

const DomainSelect = lazily(() => import('../domains/DomainSelect.tsx'), 'DomainSelect');
const TagsField = lazily(() => import('../tags/TagsField.tsx'), 'TagsField');

const Breakdown = lazily(() => import('./Breakdown.tsx'), 'Breakdown');
const TopLinks = lazily(() => import('./TopLinks.tsx'), 'TopLinks');

const route = getRouteApi('/w/$workspace/analytics');

/** The page polls instead of following events, since a busy workspace has thousands of clicks a second. */
const REFETCH_MS = 15_000;

export function Analytics() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = (change: { [K in keyof typeof search]?: (typeof search)[K] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const { domain, tag } = search;
  const about = { domain, tag };
  const asked = { ...about, ...useAsked(search) };
  return (
    <>
      <PageHeader
        title={t('Analytics')}
        description={t('Clicks on your links by time, location and device.')}
      >
        <ExportClicks asked={asked} />
      </PageHeader>
      <div className={classes.controls}>
        <RangePicker search={search} go={go} />
        <Group gap="sm">
          {/* Most workspaces have no domain of their own, for which it stays empty. */}
          <Suspense>
            <DomainSelect
              size="xs"
              aria-label={t('Domain')}
              placeholder={t('Any domain')}
              value={domain ?? ''}
              onChange={(host) => go({ domain: host || undefined })}
            />
          </Suspense>
          <div className={classes.tagFilter}>
            <Suspense
              fallback={<TextInput size="xs" placeholder={t('Any tag')} aria-label={t('Tag')} disabled />}
            >
              <TagsField
                size="xs"
                aria-label={t('Tag')}
                placeholder={t('Any tag')}
                creates={false}
                value={tag === undefined ? [] : [tag]}
                // Filters by one tag at a time, the last one selected.
                onChange={(names) => go({ tag: names.at(-1) })}
              />
            </Suspense>
          </div>
        </Group>
      </div>
      <Suspense fallback={<LoadingList />}>
        <Breakdown
          about={about}
          search={search}
          go={go}
          refetchMs={REFETCH_MS}
          empty={<EmptyAnalytics search={search} go={go} />}
          first={(of) => <TopLinks asked={of} search={search} refetchMs={REFETCH_MS} />}
        />
      </Suspense>
    </>
  );
}

/** Suggests to open the link that was clicked last, or any link. */
function EmptyAnalytics(props: Pick<React.ComponentProps<typeof NoClicks>, 'search' | 'go'>) {
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
            {t('Create link')}
          </ButtonLink>
        )
      }
    />
  );
}
