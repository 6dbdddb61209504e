/** The log of runs, of one rule or of all, live, with its filters in the address. */
import { Group, NativeSelect, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconBolt } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLiveEvents } from '../../api/live-events.ts';
import { refreshRules, rulesQuery, runQuery, runsQuery } from '../../api/rules.ts';
import type { RuleRun } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList, NoMatch } from '../../ui/ListStates.tsx';
import { LiveState } from '../../ui/LiveState.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { RUN_STATUSES, RUN_WORDS, stopOf } from './rule-text.ts';
import type { RunSearch } from './run-params.ts';
import classes from './rules.module.css';
import { RunSheet } from './RunSheet.tsx';
import { RunState } from './RunState.tsx';

/** Events that come together are one change. */
const TOGETHER_MS = 250;

interface RunLogProps {
  /** The rule whose log it is; undefined for that of all. */
  ruleId?: string;
  search: RunSearch;
  onSearch: (change: RunSearch) => void;
  /** A dialog stands over the page. */
  busy?: boolean;
}

const noteOf = ({ error, steps }: RuleRun): string => {
  if (error) return stopOf(error.code) ? `Stopped by ${stopOf(error.code)?.short}` : error.detail;
  const done = steps.filter(({ status }) => status === 'succeeded').length;
  return `${done} of ${steps.length} done`;
};

const columnsOf = (nameOf: ((id: string) => string) | null): Column<RuleRun>[] => [
  {
    key: 'status',
    title: 'Status',
    render: (run) => (
      <>
        <RunState run={run} />
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            <RelativeTime at={run.created_at} />
          </Text>
        </div>
      </>
    ),
  },
  ...(nameOf
    ? [
        {
          key: 'rule',
          title: 'Rule',
          render: ({ rule_id: id }: RuleRun) => (
            <Text truncate className={classes.name} dir="auto">
              {nameOf(id)}
            </Text>
          ),
        },
      ]
    : []),
  {
    key: 'event',
    title: 'Event',
    from: 'medium',
    render: ({ event_type: type }) => <span className={ui.mono}>{type}</span>,
  },
  {
    key: 'note',
    title: 'What became of it',
    from: 'wide',
    render: (run) => (
      <Text truncate className={classes.events} {...(run.error && { c: 'dimmed' })}>
        {noteOf(run)}
      </Text>
    ),
  },
  {
    key: 'created',
    title: 'When',
    from: 'medium',
    width: 120,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

/** Keeps every query on rules and their runs true while they are looked at. */
function useLiveRuns(workspaceId: string, paused: boolean) {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useLiveEvents(workspaceId, 'rule.*', () => {
    if (paused) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refreshRules(client, workspaceId);
    }, TOGETHER_MS);
  });
}

export function RunLog({ ruleId, search, onSearch, busy = false }: RunLogProps) {
  const { workspace } = useWorkspace();
  const { status, run: id, rule } = search;
  const ofAll = ruleId === undefined;
  const visible = useDocumentVisibility() === 'visible';
  const [paused, setPaused] = useState(false);
  const client = useQueryClient();
  const rules = useInfiniteQuery({ ...rulesQuery(workspace.id, {}), enabled: ofAll });
  const of = ruleId ?? rule;
  const query = runsQuery(workspace.id, {
    ...(of !== undefined && { rule_id: of }),
    ...(status !== undefined && { status }),
  });
  const runs = useInfiniteQuery(query);
  const isLong = (client.getQueryData(query.queryKey)?.pages.length ?? 0) > 1;
  const stream = useLiveRuns(workspace.id, paused || isLong);
  const listed = runs.data?.find((one) => one.id === id);
  const single = useQuery({ ...runQuery(workspace.id, id ?? ''), enabled: !!id && !listed, retry: false });
  const shown = id === undefined ? undefined : (listed ?? single.data);
  const known = rules.data;
  const columns = useMemo(() => {
    const names = new Map(known?.map((one) => [one.id, one.name]));
    return columnsOf(ofAll ? (one) => names.get(one) ?? 'a rule that is gone' : null);
  }, [ofAll, known]);
  const filtered = status !== undefined || (ofAll && rule !== undefined);
  const isIdle = paused || !visible;
  return (
    <>
      <Group gap="sm" mb="sm">
        {ofAll && (
          <NativeSelect
            size="xs"
            aria-label="Rule"
            data={[
              { value: '', label: 'Any rule' },
              ...(known?.map((one) => ({ value: one.id, label: one.name })) ?? []),
            ]}
            value={rule ?? ''}
            onChange={({ currentTarget }) => onSearch({ rule: currentTarget.value || undefined })}
          />
        )}
        <NativeSelect
          size="xs"
          aria-label="Status"
          data={[
            { value: '', label: 'Any status' },
            ...RUN_STATUSES.map((one) => ({ value: one, label: RUN_WORDS[one][1] })),
          ]}
          value={status ?? ''}
          onChange={({ currentTarget }) =>
            onSearch({ status: (currentTarget.value || undefined) as typeof status })
          }
        />
        <LiveState
          paused={paused}
          onPause={setPaused}
          tone={isIdle || isLong ? 'idle' : stream === 'live' ? 'live' : 'warn'}
          said={
            isIdle
              ? 'paused'
              : isLong
                ? 'not live: older ones are shown'
                : stream === 'live'
                  ? 'live'
                  : 'connecting'
          }
        />
      </Group>
      <DataTable
        label="Runs"
        list={runs}
        columns={columns}
        selected={id}
        onSelect={(chosen) => onSearch({ run: chosen })}
        empty={
          filtered ? (
            <NoMatch of="run" further={runs.hasNextPage ? () => void runs.fetchNextPage() : undefined} />
          ) : (
            <EmptyList icon={IconBolt} title="No runs yet">
              Each event that a rule runs for is written down here, with what each action did. Those that its
              filter holds back are only counted.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={shown !== undefined}>
        <SideSheet
          record={shown}
          ids={runs.data?.map((one) => one.id) ?? []}
          title={(one) => <RunState run={one} />}
          onSelect={(chosen) => onSearch({ run: chosen })}
          busy={busy}
        >
          {(one) => (
            <RunSheet key={one.id} run={one} onOpen={(chosen) => onSearch({ run: chosen })} ofAll={ofAll} />
          )}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
