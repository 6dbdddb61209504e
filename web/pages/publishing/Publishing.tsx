/** Publishing: the endpoints, and the log of what came in through all of them. */
import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Endpoints } from './Endpoints.tsx';

const PublicationLog = lazy(async () => ({
  default: (await import('../publications/PublicationLog.tsx')).PublicationLog,
}));

const route = getRouteApi('/w/$workspace/publishing');

export function Publishing() {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const create = write && (
    <ButtonLink
      to="/w/$workspace/publishing/new"
      params={{ workspace: workspace.slug }}
      leftSection={<IconPlus size={16} />}
    >
      Create endpoint
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Publishing"
        description="Addresses that others post to, and the messages that their posts become."
      >
        {create}
      </PageHeader>
      <Tabs
        value={search.tab ?? 'endpoints'}
        onChange={(value) =>
          void navigate({ search: value === 'runs' ? { tab: 'runs' } : {}, replace: true })
        }
        mb="sm"
      >
        <Tabs.List>
          <Tabs.Tab value="endpoints">Endpoints</Tabs.Tab>
          <Tabs.Tab value="runs">Run log</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {search.tab === 'runs' ? (
        <Suspense fallback={<LoadingList label="Loading publications" />}>
          <PublicationLog
            search={search}
            onSearch={(change) =>
              void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
            }
          />
        </Suspense>
      ) : (
        <Endpoints create={create} />
      )}
    </>
  );
}
