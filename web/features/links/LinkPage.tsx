/** The page of one short link, with a tab each for analytics, clicks, QR code and details. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { linkQuery, refreshLinks } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { DetailPage } from '../../patterns/DetailPage.tsx';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { notifyDone } from '../../design/notify.ts';
import { LINK_ACTIONS } from './link-actions.ts';
import { TABS } from './link-tabs.ts';
import { BACK, LinkHeader } from './LinkHeader.tsx';

const route = getRouteApi('/w/$workspace/links/$id');

export function LinkPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  return (
    <DetailPage query={useQuery(linkQuery(workspace.id, id))} noun={t('Short link')} back={BACK}>
      {(link) => <Loaded key={link.id} link={link} />}
    </DetailPage>
  );
}

function Loaded({ link }: { link: Link }) {
  const { workspace } = useWorkspace();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const shown = TABS.find(({ value }) => value === tab) ?? TABS[0];
  const { actions, dialogs } = useActions(LINK_ACTIONS, async (_link, { isGone }) => {
    if (isGone) {
      notifyDone(t('Link deleted'));
      await navigate({ to: '/w/$workspace/links', params: { workspace: workspace.slug } });
      // After leaving the page, which would otherwise fetch the link again.
      client.removeQueries({ queryKey: linkQuery(workspace.id, link.id).queryKey });
    } else notifyDone(t('Link updated'));
    await refreshLinks(client, workspace.id);
  });
  return (
    <>
      <LinkHeader link={link} actions={actions} />
      {TABS.length > 1 && (
        <PageTabs
          tabs={TABS}
          value={shown?.value}
          // The tabs share the range and the filters.
          keep={(before) => ({ ...before, click: undefined })}
        />
      )}
      {shown && (
        <Suspense fallback={<LoadingList label={t('Loading {label}', { label: shown.label })} />}>
          <shown.Content link={link} />
        </Suspense>
      )}
      {dialogs}
    </>
  );
}
