/** Where somebody without a workspace begins, and where one makes another: the first step of the checklist. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createWorkspace, workspacesQuery } from '../../api/workspaces.ts';
import { AuthPage } from '../../shell/AuthPage.tsx';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { TextLink } from '../../ui/links.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { Steps } from '../overview/Steps.tsx';

export function Start() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const first = workspaces.length === 0;
  const form = useForm({ name: '' }, createWorkspace, async ({ slug }) => {
    await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
    await navigate({ to: '/w/$workspace', params: { workspace: slug } });
  });
  const body = (
    <form onSubmit={form.submit}>
      <Stack>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <TextInput
          label="Name of the workspace"
          description="Your company, team or project. It can be changed later."
          placeholder="Acme"
          required
          withAsterisk={false}
          autoFocus
          maxLength={100}
          {...form.text('name')}
        />
        <AsCurl call={{ method: 'POST', path: '/workspaces', body: { name: form.values.name || 'Acme' } }} />
        <Button type="submit" loading={form.pending} fullWidth={!first}>
          Create workspace
        </Button>
      </Stack>
    </form>
  );
  if (!first) {
    return (
      <AuthPage
        title="New workspace"
        description="Keys, members, events and everything else belong to one workspace."
        foot={<TextLink to="/">Back</TextLink>}
      >
        {body}
      </AuthPage>
    );
  }
  return (
    <AuthPage
      wide
      title="Four steps to your first call"
      description="It takes about a minute. Everything here can also be done by the API."
    >
      <>
        <Steps
          steps={[
            { title: 'Create a workspace', state: 'current', body },
            { title: 'Create an API key', state: 'waiting' },
            { title: 'Make a call', state: 'waiting' },
            { title: 'See it arrive', state: 'waiting' },
          ]}
        />
      </>
    </AuthPage>
  );
}
