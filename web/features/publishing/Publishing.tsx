/** The publishing endpoints of the workspace, and the publications of all of them. */
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { ButtonLink } from '../../design/links.tsx';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Endpoints } from './Endpoints.tsx';

const PublicationLog = lazily(() => import('../publications/PublicationLog.tsx'), 'PublicationLog');

const route = getRouteApi('/w/$workspace/publishing');

export function Publishing() {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const search = route.useSearch();
  const create = write && (
    <ButtonLink
      to="/w/$workspace/publishing/new"
      params={{ workspace: workspace.slug }}
      leftSection={<IconPlus size={16} />}
    >
      {t('Create endpoint')}
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title={t('Publishing')}
        description={t('Receive requests from other systems and publish them as messages.')}
      >
        {create}
      </PageHeader>
      <PageTabs
        tabs={[
          { value: 'endpoints', label: t('Endpoints') },
          { value: 'runs', label: t('Publications') },
        ]}
        value={search.tab}
      />
      {search.tab === 'runs' ? (
        <Suspense fallback={<LoadingList label={t('Loading publications')} />}>
          <PublicationLog search={search} />
        </Suspense>
      ) : (
        <Endpoints />
      )}
    </>
  );
}
