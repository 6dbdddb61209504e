/** The colour scheme, the way to one's profile and the way out. Loaded when it is reached for. */
import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { auth, sessionQuery } from '../api/auth.ts';
import { notifyFailed } from '../ui/notify.ts';
import type { LazyMenuProps } from '../ui/LazyMenu.tsx';
import { useWorkspace } from './workspace-context.ts';

const SCHEMES = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function AccountMenu({ button }: LazyMenuProps) {
  const { workspace } = useWorkspace();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await auth.signOut();
    } catch (error) {
      notifyFailed(error);
      return;
    }
    queryClient.setQueryData(sessionQuery.queryKey, null);
    await navigate({ to: '/sign-in' });
    queryClient.clear();
  };
  return (
    <Menu width={232} position="top-start" offset={4} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {SCHEMES.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconUser size={16} />}
          onClick={() =>
            void navigate({
              to: '/w/$workspace/settings',
              params: { workspace: workspace.slug },
              search: { tab: 'profile' },
            })
          }
        >
          Your profile
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
