/** Where an invitation's link leads: who invites to what, then an account or a sign-in, then in. */
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { auth, sessionQuery } from '../../api/auth.ts';
import { acceptInvitation, invitationLookupQuery } from '../../api/members.ts';
import { workspacesQuery } from '../../api/workspaces.ts';
import { AuthPage } from '../../shell/AuthPage.tsx';
import { PageLoading } from '../../shell/PageStates.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { SignUpForm } from '../sign-up/SignUpForm.tsx';
import { ButtonLink } from '../../ui/links.tsx';

const route = getRouteApi('/invite/$token');

export function Invite() {
  const { token } = route.useParams();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const session = useQuery(sessionQuery);
  const invitation = useQuery(invitationLookupQuery(token));
  const accept = useMutation({
    mutationFn: () => acceptInvitation(token),
    onSuccess: async ({ slug }) => {
      await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
      await navigate({ to: '/w/$workspace', params: { workspace: slug } });
    },
  });
  if (invitation.isPending || session.isPending) return <PageLoading />;
  if (!invitation.data) {
    return (
      <AuthPage title="This invitation does not work">
        <ProblemAlert error={invitation.error} />
      </AuthPage>
    );
  }
  const {
    workspace_name: workspace,
    email,
    role,
    invited_by_name: inviter,
    has_account: known,
  } = invitation.data;
  const title = `Join ${workspace}`;
  const description = `${inviter ?? 'A member'} invites ${email} as ${role}.`;
  const user = session.data;
  if (!user && !known) {
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
      </AuthPage>
    );
  }
  if (!user) {
    return (
      <AuthPage title={title} description={description}>
        <ButtonLink to="/sign-in" search={{ next: `/invite/${token}` }} fullWidth>
          Sign in as {email}
        </ButtonLink>
      </AuthPage>
    );
  }
  if (user.email.toLowerCase() !== email.toLowerCase()) {
    const leave = async () => {
      await auth.signOut();
      await queryClient.resetQueries({ queryKey: sessionQuery.queryKey });
    };
    return (
      <AuthPage title={title} description={description}>
        <Text>
          You are signed in as <strong>{user.email}</strong>, and the invitation is for another address.{' '}
          <Anchor component="button" type="button" onClick={() => void leave()}>
            Sign out
          </Anchor>{' '}
          to accept it.
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={title} description={description}>
      <Stack>
        {accept.error && <ProblemAlert error={accept.error} />}
        <Button onClick={() => accept.mutate()} loading={accept.isPending} fullWidth>
          Accept invitation
        </Button>
      </Stack>
    </AuthPage>
  );
}
