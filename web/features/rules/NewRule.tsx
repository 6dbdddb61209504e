/** Creates a rule, which can be tested on events before it is saved. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { instancesQuery } from '../../api/instances.ts';
import { createRule, refreshRules } from '../../api/rules.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { getStanding } from '../../patterns/workbench/typed-faults.ts';
import { useUnsavedChanges } from '../../patterns/workbench/use-unsaved-changes.tsx';
import { toCreateBody } from './rule-form.ts';
import { lazily } from '../../patterns/lazily.ts';
import { redactSecrets } from './curl-body.ts';
import { newFormFromStarter } from './starters.ts';
import { useRuleEditor } from './use-rule-editor.ts';

const RulePanes = lazily(() => import('./RulePanes.tsx'), 'RulePanes');

const CreateBar = lazily(() => import('../../patterns/workbench/SaveBar.tsx'), 'CreateBar');

const route = getRouteApi('/w/$workspace/rules/new');

export function NewRule() {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const readsInstances = useCan('instances:read');
  const { data, error, refetch } = useInfiniteQuery({
    ...instancesQuery(workspace.id, { state: 'connected' }),
    enabled: readsInstances,
  });
  const instances = readsInstances ? data : [];
  return (
    <>
      <DetailHeader back={{ label: t('Rules'), to: '/w/$workspace/rules' }} title={t('Create rule')} />
      {!write ? (
        <ProblemAlert error={new Error(t("You don't have permission to create rules."))} />
      ) : instances ? (
        <Loaded instances={instances} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label={t('Loading instances')} />
      )}
    </>
  );
}

function Loaded({ instances }: { instances: readonly Instance[] }) {
  const { workspace } = useWorkspace();
  const { starter } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const editor = useRuleEditor(() => newFormFromStarter(starter, instances));
  const body = toCreateBody(editor.form);
  const [initialBody] = useState(() => JSON.stringify(body));
  const done = useRef(false);
  const leaveDialog = useUnsavedChanges(
    () => !done.current && JSON.stringify(toCreateBody(editor.form)) !== initialBody,
  );
  const create = useMutation({
    mutationFn: (sent: typeof body) => send(workspace.id, createRule(sent)),
    onSuccess: ({ id }) => {
      done.current = true;
      void refreshRules(client, workspace.id);
      notifyDone(t('Rule created'));
      void navigate({
        to: '/w/$workspace/rules/$id',
        params: { workspace: workspace.slug, id },
        search: {},
        replace: true,
      });
    },
  });
  const { problem, faults: saveErrors } = getStanding(create.error, create.variables, body);
  return (
    <Suspense fallback={<LoadingList />}>
      <RulePanes editor={editor} saved={null} saveErrors={saveErrors} />
      <CreateBar
        submit={t('Create rule')}
        call={createRule(redactSecrets(body))}
        problem={problem}
        faults={saveErrors}
        pending={create.isPending}
        onSubmit={() => create.mutate(body)}
      />
      {leaveDialog}
    </Suspense>
  );
}
