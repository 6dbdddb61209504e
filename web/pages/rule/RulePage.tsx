/** One rule: what it does, tried on events, and the log of what it did. */
import { Alert, Button, Group, Switch, Tabs, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { deleteRule, refreshRules, ruleQuery } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import ui from '../../ui/ui.module.css';
import classes from '../publishing-endpoint/editor.module.css';
import page from '../publishing-endpoint/endpoint.module.css';
import { getMessage } from '../publishing-endpoint/use-editor.ts';
import { useLeaving } from '../publishing-endpoint/use-leaving.tsx';
import { useRuleSwitch } from '../rules/use-rule-switch.tsx';
import { curlBodyOf } from './curl-body.ts';
import { LastStop, RuleStats } from './RuleStats.tsx';
import { RulePanes } from './RulePanes.tsx';
import { type RuleEditing, useRuleEditing } from './use-rule-editing.ts';

const RunLog = lazy(async () => ({ default: (await import('../rules/RunLog.tsx')).RunLog }));

const route = getRouteApi('/w/$workspace/rules/$id');

export function RulePage() {
  const { workspace } = useWorkspace();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(ruleQuery(workspace.id, id));
  if (data) return <Loaded key={data.object.id} read={data} />;
  return (
    <>
      <PageHeader title="Rule" />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading the rule" />
      )}
    </>
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
  const { switchTo, dialog, asking } = useRuleSwitch();
  const [deleting, setDeleting] = useState(false);
  const leaving = useLeaving(editing.isUnsaved);
  const isLog = search.tab === 'runs';
  return (
    <>
      <TextLink to="/w/$workspace/rules" params={{ workspace: workspace.slug }} className={page.back}>
        Rules
      </TextLink>
      <PageHeader title={rule.name} description={<RuleStats rule={rule} />}>
        {write && (
          <Group gap="sm">
            <Switch
              size="sm"
              label="Enabled"
              checked={rule.enabled}
              onChange={({ currentTarget }) => switchTo(rule, currentTarget.checked)}
            />
            <RowMenu
              of="the rule"
              actions={[{ label: 'Delete', danger: true, onClick: () => setDeleting(true) }]}
            />
          </Group>
        )}
      </PageHeader>
      <LastStop rule={rule} />
      <Tabs
        value={search.tab ?? 'editor'}
        onChange={(value) =>
          void navigate({ search: value === 'runs' ? { tab: 'runs' } : {}, replace: true })
        }
        {...(isLog ? { mb: 'sm' } : { className: classes.tabs })}
      >
        <Tabs.List>
          <Tabs.Tab value="editor">{editing.change === null ? 'Editor' : 'Editor •'}</Tabs.Tab>
          <Tabs.Tab value="runs">Run log</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {isLog ? (
        <Suspense fallback={<LoadingList label="Loading runs" />}>
          <RunLog
            ruleId={rule.id}
            search={search}
            onSearch={(change) =>
              void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
            }
            busy={deleting || asking}
          />
        </Suspense>
      ) : (
        <>
          <RulePanes editor={editing.editor} saved={editing.base} refused={editing.refused}>
            <TextInput
              label="Name"
              maxLength={100}
              readOnly={!write}
              value={editing.editor.form.name}
              onChange={({ currentTarget }) => editing.editor.set('name', currentTarget.value)}
              error={getMessage(editing.refused, '/name')}
            />
          </RulePanes>
          {write && <Foot rule={rule} editing={editing} />}
        </>
      )}
      <OnceOpened opened={deleting}>
        <ConfirmDialog
          opened={deleting}
          title={`Delete ${rule.name}?`}
          confirm="Delete rule"
          call={{ method: 'DELETE', path: `/rules/${rule.id}` }}
          action={() => deleteRule(workspace.id, rule.id)}
          onDone={async () => {
            editing.forget();
            notifyDone('Rule deleted');
            await navigate({ to: '/w/$workspace/rules', params: { workspace: workspace.slug }, search: {} });
            // Once nothing shows it any more, so that nothing asks for it again.
            client.removeQueries({ queryKey: ruleQuery(workspace.id, rule.id).queryKey });
            await refreshRules(client, workspace.id);
          }}
          onClose={() => setDeleting(false)}
        >
          What waits of it is canceled. The log of its runs stays as long as it is kept. This can't be undone;
          to pause it, disable it instead.
        </ConfirmDialog>
      </OnceOpened>
      {dialog}
      {leaving}
    </>
  );
}

/** Whether there is something to save, and what stands against it. */
function Foot({ rule, editing }: { rule: Rule; editing: RuleEditing }) {
  const { change, problem, conflict, saving } = editing;
  if (change === null && problem === null) return null;
  return (
    <div className={classes.foot}>
      <div className={classes.footSaid}>
        {conflict && (
          <Alert
            className={ui.notice}
            role="alert"
            title="Somebody else changed it meanwhile"
            variant="light"
            color="yellow"
          >
            <Text>
              Their change is of <RelativeTime at={conflict.theirs.updated_at} />. What you wrote is still
              here.
            </Text>
            <Group gap="xs" mt="xs">
              <Button size="xs" variant="default" onClick={editing.discard}>
                Take theirs
              </Button>
              <Button size="xs" variant="default" loading={saving} onClick={conflict.overwrite}>
                Save mine over it
              </Button>
            </Group>
          </Alert>
        )}
        {problem !== null && <ProblemAlert error={problem} />}
        {!conflict && problem === null && (
          <Group gap="md">
            <Text fw={500} role="status">
              Not saved yet
            </Text>
            <AsCurl call={{ method: 'PATCH', path: `/rules/${rule.id}`, body: curlBodyOf(change ?? {}) }} />
          </Group>
        )}
      </div>
      {!conflict && (
        <Group gap="xs">
          <Button variant="default" onClick={editing.discard}>
            Discard
          </Button>
          <Button loading={saving} onClick={editing.save}>
            Save
          </Button>
        </Group>
      )}
    </div>
  );
}
