/** In place of chats, while a workspace has none: leads to a first message, or to the instance that it needs. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconMessages, IconPencilPlus, IconPlus } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { firstInstancesQuery } from '../../api/instances.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { ButtonLink } from '../../design/links.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';

export function NoChats({ onNew }: { onNew: () => void }) {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
  const { data: instances } = useQuery(firstInstancesQuery(workspace.id));
  const hasNoInstance = instances?.length === 0;
  return (
    <EmptyList
      icon={IconMessages}
      title={t('No chats yet')}
      action={
        hasNoInstance ? (
          <ButtonLink
            to="/w/$workspace/instances"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
            leftSection={<IconPlus size={16} />}
          >
            {t('Create instance')}
          </ButtonLink>
        ) : (
          writes && (
            <Button leftSection={<IconPencilPlus size={16} />} onClick={onNew}>
              {t('Create chat')}
            </Button>
          )
        )
      }
    >
      {hasNoInstance
        ? t('Create an instance to see its chats here.')
        : t('Chats appear here when someone messages you or you message them.')}
    </EmptyList>
  );
}
