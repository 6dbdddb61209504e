import { Button, Tabs } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconUserPlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import type { Invitation } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { InvitationList } from './InvitationList.tsx';
import { MemberList } from './MemberList.tsx';

const InviteDialog = lazy(async () => ({ default: (await import('./InviteDialog.tsx')).InviteDialog }));

const route = getRouteApi('/w/$workspace/members');

export function Members() {
  const { workspace } = useWorkspace();
  const write = useCan('members:write');
  const { tab, invite } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [invited, setInvited] = useState<Invitation | null>(null);
  const go = (search: { tab?: 'invitations' | undefined; invite?: true | undefined }) =>
    void navigate({ search, replace: true });
  const button = write && (
    <Button leftSection={<IconUserPlus size={16} />} onClick={() => go({ tab, invite: true })}>
      Invite
    </Button>
  );
  return (
    <>
      <PageHeader title="Members" description="Who works in this workspace, and what their role allows.">
        {button}
      </PageHeader>
      <Tabs
        value={tab ?? 'members'}
        onChange={(value) => go({ tab: value === 'invitations' ? 'invitations' : undefined })}
        mb="sm"
      >
        <Tabs.List>
          <Tabs.Tab value="members">Members</Tabs.Tab>
          <Tabs.Tab value="invitations">Invitations</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'invitations' ? <InvitationList action={button} /> : <MemberList />}
      <OnceOpened opened={invite === true}>
        <InviteDialog
          opened={invite === true}
          onClose={() => go({ tab })}
          onDone={(invitation) => {
            setInvited(invitation);
            go({ tab: 'invitations' });
            void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'invitations'] });
          }}
        />
      </OnceOpened>
      <OnceOpened opened={invited !== null}>
        <SecretDialog
          secret={invited?.url ?? null}
          what="link"
          title={`Invitation for ${invited?.email ?? ''}`}
          explanation="Send this link to them. It works once, for that address only, and is shown this once."
          onDone={() => setInvited(null)}
        />
      </OnceOpened>
    </>
  );
}
