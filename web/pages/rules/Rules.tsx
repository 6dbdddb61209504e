/** Rules: what they do when something happens, and the log of what all of them did. */
import { Group, SegmentedControl, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { IconBolt, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useMemo } from 'react';
import { type RuleFilter, rulesQuery } from '../../api/rules.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { EmptyList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { STARTERS } from '../rule/starters.ts';
import { ruleColumns } from './rule-columns.tsx';
import classes from './rules.module.css';
import { useRuleSwitch } from './use-rule-switch.tsx';

const RunLog = lazy(async () => ({ default: (await import('./RunLog.tsx')).RunLog }));

const route = getRouteApi('/w/$workspace/rules');

const STATES = [
  { value: '', label: 'All' },
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];

const FIRST_RULE = {
  method: 'POST',
  path: '/rules',
  body: {
    name: 'Answer opening hours',
    events: ['message.received'],
    filter: 'event.data.object.text.body contains "hours"',
    actions: [
      {
        type: 'send_message',
        instance_id: 'ins_…',
        to: '{{ event.data.object.from }}',
        template: 'We are open from nine to five.',
      },
    ],
  },
} as const;

export function Rules() {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const create = write && (
    <ButtonLink
      to="/w/$workspace/rules/new"
      params={{ workspace: workspace.slug }}
      search={{}}
      leftSection={<IconPlus size={16} />}
    >
      Create rule
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Rules"
        description="When something happens, do something: send, shorten, call, ask a model."
      >
        {create}
      </PageHeader>
      <Tabs
        value={search.tab ?? 'rules'}
        onChange={(value) =>
          void navigate({ search: value === 'runs' ? { tab: 'runs' } : {}, replace: true })
        }
        mb="sm"
      >
        <Tabs.List>
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="runs">Run log</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {search.tab === 'runs' ? (
        <Suspense fallback={<LoadingList label="Loading runs" />}>
          <RunLog
            search={search}
            onSearch={(change) =>
              void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
            }
          />
        </Suspense>
      ) : (
        <RuleList create={create} />
      )}
    </>
  );
}

function RuleList({ create }: { create: React.ReactNode }) {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const filter: RuleFilter = state === undefined ? {} : { enabled: state === 'enabled' };
  const rules = useInfiniteQuery(rulesQuery(workspace.id, filter));
  const { switchTo, dialog } = useRuleSwitch();
  // The table is as it was while a switch is pressed.
  const columns = useMemo(() => ruleColumns(write ? switchTo : undefined), [write, switchTo]);
  const filtered = state !== undefined;
  // Before the first one there is nothing to filter.
  const none = !filtered && rules.data?.length === 0;
  return (
    <>
      {!none && (
        <Group gap="sm" mb="sm">
          <SegmentedControl
            size="xs"
            aria-label="State"
            data={STATES}
            value={state ?? ''}
            onChange={(value) =>
              void navigate({
                search: (before) => ({ ...before, state: (value || undefined) as typeof state }),
                replace: true,
              })
            }
          />
        </Group>
      )}
      <DataTable
        label="Rules"
        list={rules}
        columns={columns}
        onSelect={(id) =>
          void navigate({
            to: '/w/$workspace/rules/$id',
            params: { workspace: workspace.slug, id },
            search: {},
          })
        }
        empty={
          filtered ? (
            <Text c="dimmed" py="xl" ta="center">
              No rule matches these filters.
            </Text>
          ) : (
            <EmptyList
              icon={IconBolt}
              title="No rules yet"
              action={
                write && (
                  <div className={classes.begin}>
                    <Starters />
                    {create}
                  </div>
                )
              }
              call={FIRST_RULE}
            >
              A rule waits for an event, looks whether it is one that it is for, and does what you say: it
              answers, makes a link, calls an address, asks a model. Begin with one of these, or with an empty
              one.
            </EmptyList>
          )
        }
      />
      {dialog}
    </>
  );
}

function Starters() {
  const { workspace } = useWorkspace();
  return (
    <nav className={classes.starters} aria-label="Rules to begin with">
      {STARTERS.map(({ id, title, says }) => (
        <Link
          key={id}
          to="/w/$workspace/rules/new"
          params={{ workspace: workspace.slug }}
          search={{ starter: id }}
          className={classes.starter}
        >
          <Text fw={600}>{title}</Text>
          <Text size="xs" c="dimmed">
            {says}
          </Text>
        </Link>
      ))}
    </nav>
  );
}
