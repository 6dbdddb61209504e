/** Creates a publishing endpoint, with a preview on sample payloads before it is saved. */
import { TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { send } from '../../api/call.ts';
import { lazily } from '../../patterns/lazily.ts';
import { lazyOnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { t } from '../../copy/text.ts';
import { instancesByUseQuery, findDefaultInstance } from '../../api/instances.ts';
import { createEndpoint, refreshEndpoints } from '../../api/publishing.ts';
import type { AnsweredEndpoint, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { type AuthForm, toAuthBody, emptyAuth } from './auth-form.ts';
import { BACK } from './EndpointHeader.tsx';
import { toCreateBody, emptyEditorForm, newDestination } from './editor-form.ts';
import { firstExample } from './sample.ts';
import { getOneTimeSecret } from './publishing-text.ts';
import { getMessage, useEditor } from './use-editor.ts';
import { getStanding } from '../../patterns/workbench/typed-faults.ts';
import { useUnsavedChanges } from '../../patterns/workbench/use-unsaved-changes.tsx';
import { useTrial } from './use-trial.ts';
import { MASK } from '../../patterns/form/mask.ts';

const AuthFields = lazily(() => import('./AuthFields.tsx'), 'AuthFields');
const EditorPanes = lazily(() => import('./EditorPanes.tsx'), 'EditorPanes');
const OneTimeSecretDialog = lazyOnceOpened(
  () => import('./OneTimeSecretDialog.tsx'),
  'OneTimeSecretDialog',
  ({ answer }) => answer !== null,
);

const CreateBar = lazily(() => import('../../patterns/workbench/SaveBar.tsx'), 'CreateBar');

const route = getRouteApi('/w/$workspace/publishing/new');

export function NewEndpoint() {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const { data: instances, error, refetch } = useQuery(instancesByUseQuery(workspace.id));
  return (
    <>
      <DetailHeader back={BACK} title={t('Create publishing endpoint')} />
      {!write ? (
        <ProblemAlert error={new Error(t("You don't have permission to create publishing endpoints."))} />
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

/** Returns a form with one destination, on the given instance if there is one. */
const newForm = (instanceId = '') =>
  emptyEditorForm([newDestination({ instance_id: instanceId, template: 'New: {{ payload.title }}' })]);

function Loaded({ instances }: { instances: readonly Instance[] }) {
  const { workspace } = useWorkspace();
  const { instance } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const editor = useEditor(() => newForm(instance ?? findDefaultInstance(instances)?.id));
  const [initialBody] = useState(() => JSON.stringify(toCreateBody(editor.form)));
  const [auth, setAuth] = useState<AuthForm>(emptyAuth);
  const [sample, setSample] = useState(firstExample);
  const [created, setCreated] = useState<AnsweredEndpoint | null>(null);
  const trial = useTrial(null, editor.form, sample);
  const done = useRef(false);
  const isUnsaved = () =>
    !done.current && (JSON.stringify(toCreateBody(editor.form)) !== initialBody || auth.secret !== '');
  const leaveDialog = useUnsavedChanges(isUnsaved);
  const body = { ...toCreateBody(editor.form), auth: toAuthBody(auth) };
  const open = ({ id }: AnsweredEndpoint) =>
    void navigate({
      to: '/w/$workspace/publishing/$id',
      params: { workspace: workspace.slug, id },
      search: {},
      replace: true,
    });
  const create = useMutation({
    mutationFn: (sent: typeof body) => send(workspace.id, createEndpoint(sent)),
    onSuccess: (answer) => {
      done.current = true;
      void refreshEndpoints(client, workspace.id);
      if (getOneTimeSecret(answer) !== null) return setCreated(answer);
      notifyDone(t('Endpoint created'));
      open(answer);
    },
  });
  const { problem, faults: saveErrors } = getStanding(create.error, create.variables, body);
  const redacted = { ...body.auth, ...('secret' in body.auth && { secret: MASK }) };
  return (
    <Suspense fallback={<LoadingList />}>
      <EditorPanes
        editor={editor}
        sample={sample}
        onSample={setSample}
        stored={[]}
        trial={trial}
        saveErrors={saveErrors}
        isNew
      >
        <TextInput
          label={t('Name')}
          placeholder={t('Blog')}
          maxLength={100}
          data-autofocus
          value={editor.form.name}
          onChange={({ currentTarget }) => editor.set('name', currentTarget.value)}
          error={getMessage(saveErrors, '/name')}
        />
        <AuthFields value={auth} onChange={setAuth} faults={saveErrors} />
      </EditorPanes>
      <CreateBar
        submit={t('Create endpoint')}
        call={createEndpoint({ ...body, auth: redacted })}
        problem={problem}
        faults={saveErrors}
        pending={create.isPending}
        onSubmit={() => create.mutate(body)}
      />
      <OneTimeSecretDialog
        answer={created}
        payload={sample.received.payload}
        onDone={() => created && open(created)}
      />
      {leaveDialog}
    </Suspense>
  );
}
