/** Making a publishing endpoint: who may post, what becomes of it, tried on a sample before anything exists. */
import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, useRef, useState } from 'react';
import type { CallExample } from '../../api/curl.ts';
import { instancesQuery } from '../../api/instances.ts';
import { ApiProblem } from '../../api/problem.ts';
import { createEndpoint, refreshEndpoints } from '../../api/publishing.ts';
import type { AnsweredEndpoint, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { takesMessages } from '../chats/draft.ts';
import { type AuthForm, authBodyOf, emptyAuth } from './auth-form.ts';
import { AuthFields } from './AuthFields.tsx';
import classes from './editor.module.css';
import page from './endpoint.module.css';
import { bodyOf, emptyEditorForm, newDestination } from './editor-form.ts';
import { EditorPanes } from './EditorPanes.tsx';
import { firstExample } from './sample.ts';
import { shownOnceOf } from './shown-once.ts';
import { getMessage, useEditor } from './use-editor.ts';
import { useLeaving } from './use-leaving.tsx';
import { useTrial } from './use-trial.ts';

const ShownOnce = lazy(async () => ({ default: (await import('./ShownOnce.tsx')).ShownOnce }));

const route = getRouteApi('/w/$workspace/publishing/new');

export function NewEndpoint() {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const { data: instances, error, refetch } = useInfiniteQuery(instancesQuery(workspace.id));
  return (
    <>
      <TextLink to="/w/$workspace/publishing" params={{ workspace: workspace.slug }} className={page.back}>
        Publishing
      </TextLink>
      <PageHeader title="New publishing endpoint" />
      {!write ? (
        <ProblemAlert error={new Error('Your role may not make publishing endpoints.')} />
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

/** A new one's first destination: the channel that was asked for, or one that could send now. */
const beginWith = (instances: readonly Instance[], wanted: string | undefined) => {
  const first = instances.find(({ id }) => id === wanted) ?? instances.find(takesMessages) ?? instances[0];
  return emptyEditorForm([
    newDestination({ instance_id: first?.id ?? '', template: 'New: {{ payload.title }}' }),
  ]);
};

function Loaded({ instances }: { instances: readonly Instance[] }) {
  const { workspace } = useWorkspace();
  const { instance } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const editor = useEditor(() => beginWith(instances, instance));
  const [begun] = useState(() => JSON.stringify(bodyOf(editor.form)));
  const [auth, setAuth] = useState<AuthForm>(emptyAuth);
  const [sample, setSample] = useState(firstExample);
  const [made, setMade] = useState<AnsweredEndpoint | null>(null);
  const trial = useTrial(null, editor.form, sample);
  const done = useRef(false);
  const isUnsaved = () =>
    !done.current && (JSON.stringify(bodyOf(editor.form)) !== begun || auth.secret !== '');
  const leaving = useLeaving(isUnsaved);
  const body = { ...bodyOf(editor.form), auth: authBodyOf(auth) };
  const open = ({ id }: AnsweredEndpoint) =>
    void navigate({
      to: '/w/$workspace/publishing/$id',
      params: { workspace: workspace.slug, id },
      search: {},
      replace: true,
    });
  const create = useMutation({
    mutationFn: () => createEndpoint(workspace.id, body),
    onSuccess: (answer) => {
      done.current = true;
      void refreshEndpoints(client, workspace.id);
      if (shownOnceOf(answer) !== null) return setMade(answer);
      notifyDone('Endpoint created');
      open(answer);
    },
  });
  const refused = create.error instanceof ApiProblem ? create.error.faults : [];
  const shown = { ...body.auth, ...('secret' in body.auth && { secret: '…' }) };
  const call: CallExample = {
    method: 'POST',
    path: '/publishing-endpoints',
    body: { ...body, auth: shown },
  };
  return (
    <>
      <EditorPanes
        editor={editor}
        sample={sample}
        onSample={setSample}
        stored={[]}
        trial={trial}
        refused={refused}
      >
        <TextInput
          label="Name"
          placeholder="Blog"
          maxLength={100}
          data-autofocus
          value={editor.form.name}
          onChange={({ currentTarget }) => editor.set('name', currentTarget.value)}
          error={getMessage(refused, '/name')}
        />
        <AuthFields value={auth} onChange={setAuth} faults={refused} />
      </EditorPanes>
      <div className={classes.foot}>
        <div className={classes.footSaid}>
          {create.error ? <ProblemAlert error={create.error} /> : <AsCurl call={call} />}
        </div>
        <Button
          loading={create.isPending}
          disabled={editor.form.name.trim() === ''}
          onClick={() => create.mutate()}
        >
          Create endpoint
        </Button>
      </div>
      <OnceOpened opened={made !== null}>
        <ShownOnce answer={made} payload={sample.received.payload} onDone={() => made && open(made)} />
      </OnceOpened>
      {leaving}
    </>
  );
}
