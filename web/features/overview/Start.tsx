/** Creates a workspace: the first step for new users, or an additional workspace. */
import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { t } from '../../copy/text.ts';
import { send } from '../../api/call.ts';
import { createWorkspace, workspacesQuery } from '../../api/workspaces.ts';
import { AuthPage } from '../sign-in/AuthPage.tsx';
import { TextLink } from '../../design/links.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { Steps } from './Steps.tsx';

export function Start() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const first = workspaces.length === 0;
  const form = useApiForm(
    { name: '' },
    (body) => send(null, createWorkspace(body)),
    async ({ slug }) => {
      await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
      await navigate({ to: '/w/$workspace', params: { workspace: slug } });
    },
  );
  const body = (
    <form onSubmit={form.submit}>
      <Stack>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <TextInput
          label={t('Workspace name')}
          description={t('Your company, team or project. You can change this later.')}
          placeholder={t('Acme')}
          required
          autoFocus
          maxLength={100}
          {...form.text('name')}
        />
        <Button type="submit" loading={form.pending} fullWidth={!first}>
          {t('Create workspace')}
        </Button>
      </Stack>
    </form>
  );
  if (!first) {
    return (
      <AuthPage
        title={t('Create workspace')}
        description={t('Each workspace has its own members, API keys and data.')}
        foot={<TextLink to="/">{t('Back')}</TextLink>}
      >
        {body}
      </AuthPage>
    );
  }
  return (
    <AuthPage
      wide
      title={t('Make your first API call')}
      description={t('It takes about a minute. Everything in this console is also available in the API.')}
    >
      <>
        <Steps
          steps={[
            { title: t('Create a workspace'), state: 'current', body },
            { title: t('Create an API key'), state: 'waiting' },
            { title: t('Make an API call'), state: 'waiting' },
            { title: t('Watch your call arrive'), state: 'waiting' },
          ]}
        />
      </>
    </AuthPage>
  );
}
