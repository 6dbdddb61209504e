/** The page of an invitation link: creates an account or asks to sign in, then accepts the invitation. */
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { send } from '../../api/call.ts';
import { rich, t } from '../../copy/text.ts';
import { auth, sessionQuery } from '../../api/auth.ts';
import { forgetPerson } from '../../api/session-end.ts';
import { acceptInvitation, invitationLookupQuery } from '../../api/members.ts';
import type { Role } from '../../api/types.ts';
import { workspacesQuery } from '../../api/workspaces.ts';
import { AuthPage } from './AuthPage.tsx';
import { PageLoading } from '../../patterns/PageStates.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { SignUpForm } from './SignUpForm.tsx';
import { ButtonLink } from '../../design/links.tsx';

const AS_ROLE: Record<Role, string> = {
  owner: t('an owner'),
  admin: t('an admin'),
  developer: t('a developer'),
  viewer: t('a viewer'),
};

const route = getRouteApi('/invite/$token');

export function Invite() {
  const { token } = route.useParams();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const session = useQuery(sessionQuery);
  const invitation = useQuery(invitationLookupQuery(token));
  const accept = useMutation({
    mutationFn: () => send(null, acceptInvitation(token)),
    onSuccess: async ({ slug }) => {
      await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
      await navigate({ to: '/w/$workspace', params: { workspace: slug } });
    },
  });
  if (invitation.isPending || session.isPending) return <PageLoading />;
  if (!invitation.data) {
    return (
      <AuthPage title={t('This invitation is invalid')}>
        <ProblemAlert error={invitation.error} />
      </AuthPage>
    );
  }
  const { workspace_name: workspace, email, role, invited_by_name: inviter } = invitation.data;
  const title = t('Join {workspace}', { workspace });
  const description = inviter
    ? t('{inviter} invited {email} to join as {role}.', { inviter, email, role: AS_ROLE[role] })
    : t('{email} is invited to join as {role}.', { email, role: AS_ROLE[role] });
  const user = session.data;
  if (!user) {
    return (
      <AuthPage title={title} description={description}>
        <SignUpForm
          email={email}
          invitationToken={token}
          onDone={async () => {
            await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
            accept.mutate();
          }}
        />
        {accept.error && <ProblemAlert error={accept.error} />}
        {/* A person with the link must not learn whether the address has an account, so both options are shown. */}
        <ButtonLink to="/sign-in" search={{ next: `/invite/${token}` }} variant="default" fullWidth mt="sm">
          {t('Sign in as {email}', { email })}
        </ButtonLink>
      </AuthPage>
    );
  }
  if (user.email.toLowerCase() !== email.toLowerCase()) {
    const leave = async () => {
      await auth.signOut();
      forgetPerson();
      await queryClient.resetQueries({ queryKey: sessionQuery.queryKey });
    };
    return (
      <AuthPage title={title} description={description}>
        <Text>
          {rich(
            'You are signed in as <email>{email}</email>, but this invitation is for another address. <a>Sign out</a> to accept it.',
            {
              email: (words) => <strong>{words}</strong>,
              a: (words) => (
                <Anchor component="button" type="button" onClick={() => void leave()}>
                  {words}
                </Anchor>
              ),
            },
            { email: user.email },
          )}
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={title} description={description}>
      <Stack>
        {accept.error && <ProblemAlert error={accept.error} />}
        <Button onClick={() => accept.mutate()} loading={accept.isPending} fullWidth>
          {t('Accept invitation')}
        </Button>
      </Stack>
    </AuthPage>
  );
}
