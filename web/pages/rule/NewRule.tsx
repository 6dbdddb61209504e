/** Making a rule, tried on events before anything exists. */
import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { instancesQuery } from '../../api/instances.ts';
import { ApiProblem } from '../../api/problem.ts';
import { createRule, refreshRules } from '../../api/rules.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import classes from '../publishing-endpoint/editor.module.css';
import page from '../publishing-endpoint/endpoint.module.css';
import { getMessage } from '../publishing-endpoint/use-editor.ts';
import { useLeaving } from '../publishing-endpoint/use-leaving.tsx';
import { bodyOf } from './rule-form.ts';
import { RulePanes } from './RulePanes.tsx';
import { curlBodyOf } from './curl-body.ts';
import { beginWith } from './starters.ts';
import { useRuleEditor } from './use-rule-editor.ts';

const route = getRouteApi('/w/$workspace/rules/new');

export function NewRule() {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const readsInstances = useCan('instances:read');
  const { data, error, refetch } = useInfiniteQuery({
    ...instancesQuery(workspace.id),
    enabled: readsInstances,
  });
  const instances = readsInstances ? data : [];
  return (
    <>
      <TextLink to="/w/$workspace/rules" params={{ workspace: workspace.slug }} className={page.back}>
        Rules
      </TextLink>
      <PageHeader title="New rule" />
      {!write ? (
        <ProblemAlert error={new Error('Your role may not make rules.')} />
      ) : instances ? (
        <Loaded instances={instances} />
      ) : error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label="Loading channels" />
      )}
    </>
  );
}

function Loaded({ instances }: { instances: readonly Instance[] }) {
  const { workspace } = useWorkspace();
  const { starter } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const editor = useRuleEditor(() => beginWith(starter, instances));
  const body = bodyOf(editor.form);
  const [begun] = useState(() => JSON.stringify(body));
  const done = useRef(false);
  const leaving = useLeaving(() => !done.current && JSON.stringify(bodyOf(editor.form)) !== begun);
  const create = useMutation({
    mutationFn: () => createRule(workspace.id, body),
    onSuccess: ({ id }) => {
      done.current = true;
      void refreshRules(client, workspace.id);
      notifyDone('Rule created: it runs from now on');
      void navigate({
        to: '/w/$workspace/rules/$id',
        params: { workspace: workspace.slug, id },
        search: {},
        replace: true,
      });
    },
  });
  const refused = create.error instanceof ApiProblem ? create.error.faults : [];
  return (
    <>
      <RulePanes editor={editor} saved={null} refused={refused}>
        <TextInput
          label="Name"
          placeholder="Answer opening hours"
          maxLength={100}
          data-autofocus
          value={editor.form.name}
          onChange={({ currentTarget }) => editor.set('name', currentTarget.value)}
          error={getMessage(refused, '/name')}
        />
      </RulePanes>
      <div className={classes.foot}>
        <div className={classes.footSaid}>
          {create.error ? (
            <ProblemAlert error={create.error} />
          ) : (
            <AsCurl call={{ method: 'POST', path: '/rules', body: curlBodyOf(body) }} />
          )}
        </div>
        <Button
          loading={create.isPending}
          disabled={body.name === '' || body.events.length === 0 || body.actions.length === 0}
          onClick={() => create.mutate()}
        >
          Create rule
        </Button>
      </div>
      {leaving}
    </>
  );
}
