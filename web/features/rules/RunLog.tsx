/** The live run log of one rule or of all rules. Its filters are part of the URL. */
import { Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconBolt } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { plural, t } from '../../copy/text.ts';
import { refreshRules, ruleNameQuery, ruleQuery, rulesQuery, runQuery, runsQuery } from '../../api/rules.ts';
import type { RuleRun } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import type { LookupFilter } from '../../patterns/list/filter.ts';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { useRefreshOnEvents } from '../../patterns/live/use-refresh-on-events.ts';
import { ObjectName } from '../../patterns/ObjectName.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { RUN_STATUSES, RUN_LABELS, getStop } from './rule-text.ts';
import type { RunSearch } from './run-params.ts';
import classes from './rules.module.css';
import { RunSheet } from './RunSheet.tsx';
import { RunState } from './RunState.tsx';

interface RunLogProps {
  /** The rule whose runs are shown; undefined for all rules. */
  ruleId?: string;
  search: RunSearch;
  /** Whether a dialog is open over the page. */
  busy?: boolean;
}

/** Returns the recipient of the first message. */
function getRecipient(steps: RuleRun['steps']): string | null {
  const to = steps.find(({ type }) => type === 'send_message')?.input?.['to'];
  return typeof to === 'string' ? to : null;
}

const summarizeRun = ({ error, steps }: RuleRun): string => {
  if (error) return getStop(error.code)?.title ?? error.detail;
  const done = steps.filter(({ status }) => status === 'succeeded').length;
  return plural(
    steps.length,
    { one: '{done} of {count} action succeeded', other: '{done} of {count} actions succeeded' },
    { done },
  );
};

function Result({ run }: { run: RuleRun }) {
  return (
    <Text lineClamp={3} className={classes.result} {...(run.error && { c: 'dimmed' })}>
      {summarizeRun(run)}
    </Text>
  );
}

const runColumns = (getRuleName: ((id: string) => React.ReactNode) | null): Column<RuleRun>[] => [
  {
    key: 'status',
    fixed: true,
    title: t('Status'),
    render: (run) => (
      <>
        <RunState run={run} />
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            <RelativeTime at={run.created_at} /> · <span className={ui.mono}>{run.event_type}</span>
          </Text>
          <Result run={run} />
        </div>
      </>
    ),
  },
  ...(getRuleName
    ? [
        {
          key: 'rule',
          title: t('Rule'),
          render: ({ rule_id: id }: RuleRun) => (
            <Text truncate className={classes.name} dir="auto">
              {getRuleName(id)}
            </Text>
          ),
        },
      ]
    : []),
  {
    key: 'event',
    title: t('Event'),
    from: 'medium',
    render: ({ event_type: type }) => <span className={ui.mono}>{type}</span>,
  },
  {
    key: 'recipient',
    title: t('Recipient'),
    from: 'widest',
    render: ({ steps }) => (
      <Text truncate className={classes.name} dir="auto">
        {getRecipient(steps) ?? '–'}
      </Text>
    ),
  },
  {
    key: 'note',
    title: t('Result'),
    from: 'wide',
    render: (run) => <Result run={run} />,
  },
  {
    key: 'created',
    title: t('Created'),
    from: 'medium',
    width: 120,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

/** The name of a rule beyond the first page of rules. */
function UnlistedRule({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data, isPending } = useQuery({
    ...ruleQuery(workspace.id, id),
    refetchInterval: false,
    retry: false,
  });
  return isPending ? '…' : (data?.object.name ?? t('Deleted rule'));
}

/** Returns a filter by the rule of a run. */
const ruleFilter = (workspaceId: string): LookupFilter => ({
  key: 'rule',
  label: t('Rule'),
  kind: 'lookup',
  options: (search) => ({
    queryKey: ['ws', workspaceId, 'rule-options', search],
    queryFn: async ({ client }) => {
      const found = await client.fetchInfiniteQuery(rulesQuery(workspaceId, { search: search || undefined }));
      return found.pages.flatMap(({ data }) => data.map(({ id, name }) => ({ value: id, label: name })));
    },
  }),
  labelFor: (id) => ruleNameQuery(workspaceId, id),
});

export function RunLog({ ruleId, search, busy = false }: RunLogProps) {
  const { workspace } = useWorkspace();
  const { status, run: id, rule } = search;
  const navigate = useNavigate();
  const client = useQueryClient();
  const allRules = ruleId === undefined;
  const rules = useInfiniteQuery({ ...rulesQuery(workspace.id, {}), enabled: allRules });
  const shownRule = ruleId ?? rule;
  const runs = useInfiniteQuery(
    runsQuery(workspace.id, {
      rule_id: shownRule,
      status,
    }),
  );
  const live = useRefreshOnEvents('rule.*', () => void refreshRules(client, workspace.id));
  const known = rules.data;
  const columns = useMemo(() => {
    const names = new Map(known?.map((one) => [one.id, one.name]));
    return runColumns(allRules ? (one) => names.get(one) ?? <UnlistedRule id={one} /> : null);
  }, [allRules, known]);
  const open = (chosen: string) =>
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, run: chosen }) });
  return (
    <>
      <LiveLog
        part
        name="rule-runs"
        title={t('Runs')}
        list={runs}
        columns={columns}
        selected={id}
        link={sheetLink('run')}
        rowLabel={({ status: state }) => RUN_LABELS[state][1]}
        failed={({ status: state }) => state === 'failed'}
        filters={[
          ...(allRules ? [ruleFilter(workspace.id)] : []),
          {
            key: 'status',
            label: t('Status'),
            kind: 'choice',
            options: RUN_STATUSES.map((one) => ({ value: one, label: RUN_LABELS[one][1] })),
          },
        ]}
        live={live}
        empty={
          <EmptyList icon={IconBolt} title={t('No runs yet')}>
            {t(
              "Runs appear here as matching events happen. Events excluded by a rule's filter are only counted.",
            )}
          </EmptyList>
        }
      />
      <RecordSheet
        param="run"
        rows={runs.data}
        single={(one) => runQuery(workspace.id, one)}
        title={(one) => (
          <Group gap="xs">
            <ObjectName id={one.rule_id} />
            <RunState run={one} />
          </Group>
        )}
        busy={busy}
      >
        {(one) => <RunSheet key={one.id} run={one} onOpen={open} allRules={allRules} />}
      </RecordSheet>
    </>
  );
}
