import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { PageTabs } from '../../patterns/PageTabs.tsx';
import { t } from '../../copy/text.ts';
import { invitationsQuery } from '../../api/members.ts';
import type { Invitation } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { lazyDialog, SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { InvitationList } from './InvitationList.tsx';
import { MemberList } from './MemberList.tsx';

const InviteDialog = lazyDialog(() => import('./InviteDialog.tsx'), 'InviteDialog');

const route = getRouteApi('/w/$workspace/members');

export function Members() {
  const { workspace } = useWorkspace();
  const write = useCan('members:write');
  const { tab, invite } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const pending = useInfiniteQuery(invitationsQuery(workspace.id, 'pending'));
  const count = pending.data?.length ?? 0;
  const [invited, setInvited] = useState<Invitation | null>(null);
  const go = (search: { tab?: 'invitations' | undefined; invite?: true | undefined }) =>
    void navigate({ search, replace: true });
  const button = write && (
    <Button leftSection={<IconUserPlus size={16} />} onClick={() => go({ tab, invite: true })}>
      {t('Invite member')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('Members')}
        description={t('People with access to this workspace, and their roles.')}
      >
        {button}
      </PageHeader>
      <PageTabs
        tabs={[
          { value: 'members', label: t('Members') },
          {
            value: 'invitations',
            label:
              count === 0
                ? t('Invitations')
                : t('Invitations ({count})', { count: `${count}${pending.hasNextPage ? '+' : ''}` }),
          },
        ]}
        value={tab}
      />
      {tab === 'invitations' ? <InvitationList /> : <MemberList />}
      <InviteDialog
        opened={write && invite === true}
        onClose={() => go({ tab })}
        onDone={(invitation) => {
          setInvited(invitation);
          go({ tab: 'invitations' });
          void queryClient.invalidateQueries({ queryKey: ['ws', workspace.id, 'invitations'] });
        }}
      />
      <SecretDialog
        secret={invited?.url ?? null}
        what="link"
        title={t('Invitation for {email}', { email: invited?.email ?? '' })}
        explanation={t(
          "Send this link to the person you invited. It works once, for this address only, and isn't shown again.",
        )}
        onDone={() => setInvited(null)}
      />
    </>
  );
}
