import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Catalogue } from './Catalogue.tsx';
import { LiveTail } from './LiveTail.tsx';

const route = getRouteApi('/w/$workspace/events');

export function Events() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Events"
        description="Each change in the workspace, in order and without holes, as it happens."
      />
      <Tabs
        value={tab ?? 'log'}
        onChange={(value) =>
          void navigate({ search: value === 'catalogue' ? { tab: 'catalogue' } : {}, replace: true })
        }
        mb="md"
      >
        <Tabs.List>
          <Tabs.Tab value="log">Live</Tabs.Tab>
          <Tabs.Tab value="catalogue">Catalogue</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'catalogue' ? <Catalogue /> : <LiveTail />}
    </>
  );
}
