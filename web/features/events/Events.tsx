import { getRouteApi } from '@tanstack/react-router';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { EventCatalog } from './EventCatalog.tsx';
import { LiveTail } from './LiveTail.tsx';

const route = getRouteApi('/w/$workspace/events');

export function Events() {
  const { tab } = route.useSearch();
  return (
    <>
      <PageHeader
        title={t('Events')}
        description={t('Every change in this workspace, in order and in real time.')}
      />
      <PageTabs
        tabs={[
          { value: 'log', label: t('Live') },
          { value: 'catalogue', label: t('Catalog') },
        ]}
        value={tab}
        mb="md"
      />
      {tab === 'catalogue' ? <EventCatalog /> : <LiveTail />}
    </>
  );
}
