/** The page of one rule: its editor with a test, and its run log. */
import { Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { DetailHeader, DetailPage } from '../../patterns/DetailPage.tsx';
import { ruleActions } from './rule-actions.ts';
import { lazily } from '../../patterns/lazily.ts';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import type { Tagged } from '../../api/call.ts';
import { refreshRules, ruleQuery, updateRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { LoadingList } from '../../patterns/ListStates.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { useUnsavedChanges } from '../../patterns/workbench/use-unsaved-changes.tsx';
import { useRuleSwitch } from './use-rule-switch.ts';
import { redactSecrets } from './curl-body.ts';
import { RuleStats } from './RuleStats.tsx';
import { useRuleEditing } from './use-rule-editing.ts';

const LastStop = lazily(() => import('./LastStop.tsx'), 'LastStop');
const RulePanes = lazily(() => import('./RulePanes.tsx'), 'RulePanes');
const SaveBar = lazily(() => import('../../patterns/workbench/SaveBar.tsx'), 'SaveBar');
const RunLog = lazily(() => import('./RunLog.tsx'), 'RunLog');

const route = getRouteApi('/w/$workspace/rules/$id');

const BACK = { label: t('Rules'), to: '/w/$workspace/rules' } as const;

export function RulePage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  return (
    <DetailPage query={useQuery(ruleQuery(workspace.id, id))} noun={t('Rule')} back={BACK}>
      {(read) => <Loaded key={read.object.id} read={read} />}
    </DetailPage>
  );
}

function Loaded({ read }: { read: Tagged<Rule> }) {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const rule = read.object;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const editing = useRuleEditing(read);
  const { switchTo, dialog, confirming } = useRuleSwitch();
  const { actions, dialogs, isOpen } = useActions(ruleActions(switchTo), async () => {
    editing.markDeleted();
    await navigate({ to: '/w/$workspace/rules', params: { workspace: workspace.slug }, search: {} });
    // Only after the page is left, so that no mounted query fetches the deleted rule again.
    client.removeQueries({ queryKey: ruleQuery(workspace.id, rule.id).queryKey });
    await refreshRules(client, workspace.id);
  });
  const leaveDialog = useUnsavedChanges(editing.isUnsaved);
  const isLog = search.tab === 'runs';
  return (
    <>
      <DetailHeader back={BACK} title={rule.name} description={<RuleStats rule={rule} />}>
        {write && (
          <Switch
            size="sm"
            label={t('Enabled')}
            checked={rule.enabled}
            onChange={({ currentTarget }) => switchTo(rule, currentTarget.checked)}
          />
        )}
        <ActionButtons record={rule} of={rule.name} actions={actions} />
      </DetailHeader>
      <Suspense>
        <LastStop rule={rule} />
      </Suspense>
      <PageTabs
        tabs={[
          { value: 'editor', label: editing.change === null ? t('Editor') : t('Editor •') },
          { value: 'runs', label: t('Runs') },
        ]}
        value={search.tab}
        {...(!isLog && { className: classes.tabs })}
      />
      {isLog ? (
        <Suspense fallback={<LoadingList label={t('Loading runs')} />}>
          <RunLog ruleId={rule.id} search={search} busy={isOpen || confirming} />
        </Suspense>
      ) : (
        <Suspense fallback={<LoadingList />}>
          <RulePanes editor={editing.editor} saved={editing.base} saveErrors={editing.saveErrors} />
          {write && (
            <SaveBar form={editing} call={updateRule(rule.id, redactSecrets(editing.change ?? {}))} />
          )}
        </Suspense>
      )}
      {dialogs}
      {dialog}
      {leaveDialog}
    </>
  );
}
