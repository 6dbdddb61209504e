/** The rules of the workspace, and the run log of all of them. */
import { Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useMemo } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { refreshRules, rulesQuery } from '../../api/rules.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { EmptyList, LoadingList } from '../../patterns/ListStates.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { ruleActions } from './rule-actions.ts';
import { STARTERS } from './starters.ts';
import { ruleColumns } from './rule-columns.tsx';
import classes from './rules.module.css';
import { useRuleSwitch } from './use-rule-switch.ts';

const RunLog = lazily(() => import('./RunLog.tsx'), 'RunLog');

const route = getRouteApi('/w/$workspace/rules');

const STATES = [
  { value: 'enabled', label: t('Enabled') },
  { value: 'disabled', label: t('Disabled') },
];

const FIRST_RULE = {
  method: 'POST',
  path: '/rules',
  body: {
    name: 'Reply with opening hours',
    events: ['message.received'],
    filter: 'event.data.object.text.body | contains_ignore_case: "hours"',
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
  const create = write && (
    <ButtonLink
      to="/w/$workspace/rules/new"
      params={{ workspace: workspace.slug }}
      search={{}}
      leftSection={<IconPlus size={16} />}
    >
      {t('Create rule')}
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title={t('Rules')}
        description={t(
          'Run actions when events happen: send messages, create links, call webhooks, or ask a model.',
        )}
      >
        {create}
      </PageHeader>
      <PageTabs
        tabs={[
          { value: 'rules', label: t('Rules') },
          { value: 'runs', label: t('Runs') },
        ]}
        value={search.tab}
      />
      {search.tab === 'runs' ? (
        <Suspense fallback={<LoadingList label={t('Loading runs')} />}>
          <RunLog search={search} />
        </Suspense>
      ) : (
        <RuleList />
      )}
    </>
  );
}

function RuleList() {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const { q, state } = route.useSearch();
  const client = useQueryClient();
  const rules = useInfiniteQuery(
    rulesQuery(workspace.id, {
      search: q,
      enabled: state && state === 'enabled',
    }),
  );
  const { switchTo, dialog } = useRuleSwitch();
  // Stable columns keep the rows from rendering again while a switch is pressed.
  const columns = useMemo(() => ruleColumns(write ? switchTo : undefined), [write, switchTo]);
  return (
    <>
      <ListPage
        part
        name="rules"
        title={t('Rules')}
        search={t('Search by name')}
        list={rules}
        columns={columns}
        link={({ id }) => ({ to: '/w/$workspace/rules/$id', params: { workspace: workspace.slug, id } })}
        filters={[{ key: 'state', label: t('Status'), kind: 'choice', options: STATES }]}
        actions={ruleActions(switchTo)}
        refresh={() => refreshRules(client, workspace.id)}
        example={{ type: 'rule.created' }}
        empty={
          <EmptyList title={t('No rules yet')} action={write && <Starters />} call={FIRST_RULE}>
            {t(
              'A rule runs when a matching event happens, then takes the actions you choose. Start with a template or an empty rule.',
            )}
          </EmptyList>
        }
      />
      {dialog}
    </>
  );
}

function Starters() {
  const { workspace } = useWorkspace();
  return (
    <nav className={classes.starters} aria-label={t('Rule templates')}>
      {STARTERS.map(({ id, title, description }) => (
        <Link
          key={id}
          to="/w/$workspace/rules/new"
          params={{ workspace: workspace.slug }}
          search={{ starter: id }}
          className={classes.starter}
        >
          <Text fw={600}>{title}</Text>
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        </Link>
      ))}
    </nav>
  );
}
