import { Stack, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Profile } from './Profile.tsx';
import { Sessions } from './Sessions.tsx';
import { WorkspaceSettings } from './WorkspaceSettings.tsx';

const route = getRouteApi('/w/$workspace/settings');

const TABS = [
  { value: 'workspace', label: 'Workspace', content: WorkspaceSettings },
  { value: 'profile', label: 'Your profile', content: Profile },
  { value: 'sessions', label: 'Your sessions', content: Sessions },
] as const;

export function Settings() {
  const { tab = 'workspace' } = route.useSearch();
  const navigate = route.useNavigate();
  const Content = TABS.find(({ value }) => value === tab)?.content ?? WorkspaceSettings;
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: value === 'profile' || value === 'sessions' ? { tab: value } : {},
            replace: true,
          })
        }
        mb="lg"
      >
        <Tabs.List>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <Stack maw={560} gap="xl">
        <Content />
      </Stack>
    </>
  );
}
