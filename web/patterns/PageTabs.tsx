/** The tabs of a page. The chosen one is a search parameter, which the first tab doesn't need. */
import { Tabs, type TabsProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import ui from '../design/ui.module.css';

const reveal = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest' });

interface PageTabsProps extends Pick<TabsProps, 'mb' | 'className'> {
  tabs: readonly { value: string; label: string }[];
  /** By default the first one. */
  value: string | undefined;
  /** Search parameter. */
  param?: string;
  /** Returns the search parameters that stay; by default none do. */
  keep?: (before: Record<string, unknown>) => Record<string, unknown>;
}

export function PageTabs({ tabs, value, param = 'tab', keep, ...props }: PageTabsProps) {
  const navigate = useNavigate();
  const first = tabs[0]?.value ?? null;
  const shown = value ?? first;
  const select = (chosen: string | null) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({
        ...keep?.(before),
        [param]: chosen === first ? undefined : (chosen ?? undefined),
      }),
      replace: true,
    });
  return (
    <Tabs
      value={shown}
      onChange={select}
      classNames={{ list: ui.tabs }}
      {...(props.className === undefined && { mb: 'sm' })}
      {...props}
    >
      <Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value} ref={tab.value === shown ? reveal : null}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
