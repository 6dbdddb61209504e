/** The account menu: color scheme, profile and sign-out. Loaded when it is first opened. */
import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconCheck, IconLogout, IconUser } from '@tabler/icons-react';
import { t } from '../copy/text.ts';
import type { LazyMenuProps } from '../design/LazyMenu.tsx';
import { useWorkspace } from '../api/workspace-context.ts';
import { signOut } from './sign-out.ts';

const SCHEMES = [
  { value: 'auto', label: t('System') },
  { value: 'light', label: t('Light') },
  { value: 'dark', label: t('Dark') },
] as const;

export function AccountMenu({ button }: LazyMenuProps) {
  const { workspace } = useWorkspace();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  return (
    <Menu width={232} position="top-start" offset={4} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('Appearance')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {SCHEMES.map(({ value, label }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              closeMenuOnClick={false}
              checkIcon={<IconCheck size={14} />}
            >
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
          {t('Your profile')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t('Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
