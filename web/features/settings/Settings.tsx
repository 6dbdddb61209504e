import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { lazily } from '../../patterns/lazily.ts';

const WorkspaceSettings = lazily(() => import('./WorkspaceSettings.tsx'), 'WorkspaceSettings');
const Usage = lazily(() => import('./Usage.tsx'), 'Usage');
const Profile = lazily(() => import('./Profile.tsx'), 'Profile');
const Sessions = lazily(() => import('./Sessions.tsx'), 'Sessions');

const route = getRouteApi('/w/$workspace/settings');

const TABS = [
  { value: 'workspace', label: t('Workspace'), content: WorkspaceSettings },
  { value: 'usage', label: t('Usage'), content: Usage },
  { value: 'profile', label: t('Profile'), content: Profile },
  { value: 'sessions', label: t('Sessions'), content: Sessions },
] as const;

export function Settings() {
  const { tab = 'workspace' } = route.useSearch();
  const Content = TABS.find(({ value }) => value === tab)?.content ?? WorkspaceSettings;
  return (
    <>
      <PageHeader title={t('Settings')} />
      <PageTabs tabs={TABS} value={tab} mb="lg" />
      <Stack maw={560} gap="xl">
        <Suspense fallback={<LoadingList />}>
          <Content />
        </Suspense>
      </Stack>
    </>
  );
}
