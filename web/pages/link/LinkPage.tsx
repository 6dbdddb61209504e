/** One short link: its address, where it leads, what can be done with it, and what is known of its visitors. */
import { Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { linkQuery, refreshLinks } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import type { LinkAction } from '../links/link-columns.tsx';
import { LinkDialogs } from '../links/LinkDialogs.tsx';
import { TABS } from './link-tabs.ts';
import { LinkHeader } from './LinkHeader.tsx';

const route = getRouteApi('/w/$workspace/links/$id');

export function LinkPage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(linkQuery(workspace.id, id));
  if (data) return <Loaded key={data.id} link={data} />;
  return (
    <>
      <PageHeader title="Short link" />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the link" />
      )}
    </>
  );
}

function Loaded({ link }: { link: Link }) {
  const { workspace } = useWorkspace();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [action, setAction] = useState<LinkAction | null>(null);
  const shown = TABS.find(({ value }) => value === tab) ?? TABS[0];
  const done = async (isGone: boolean) => {
    setAction(null);
    if (isGone) {
      notifyDone('Link deleted');
      await navigate({ to: '/w/$workspace/links', params: { workspace: workspace.slug } });
      // Once nothing shows it any more, so that nothing asks for it again.
      client.removeQueries({ queryKey: linkQuery(workspace.id, link.id).queryKey });
    }
    await refreshLinks(client, workspace.id);
  };
  return (
    <>
      <LinkHeader link={link} onAction={setAction} />
      {TABS.length > 1 && (
        <Tabs
          value={shown?.value ?? null}
          onChange={(value) =>
            void navigate({
              // Range and filters are those of the next tab too.
              search: (before) => ({
                ...before,
                tab: value === TABS[0]?.value ? undefined : (value ?? undefined),
                click: undefined,
              }),
              replace: true,
            })
          }
          mb="sm"
        >
          <Tabs.List>
            {TABS.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      {shown && (
        <Suspense fallback={<LoadingList label={`Loading ${shown.label.toLowerCase()}`} />}>
          <shown.Content link={link} />
        </Suspense>
      )}
      <LinkDialogs
        link={link}
        action={action}
        onClose={() => setAction(null)}
        onDone={(isGone) => void done(isGone)}
      />
    </>
  );
}
