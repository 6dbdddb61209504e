/** Where there are no messages yet: leads to a first one, or to the instance that it needs. */
import { useQuery } from '@tanstack/react-query';
import { IconPencilPlus, IconPlus } from '@tabler/icons-react';
import { firstInstancesQuery } from '../../api/instances.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ButtonLink } from '../../design/links.tsx';

export function FirstChatButton() {
  const { workspace } = useWorkspace();
  const writes = useCan('messages:write');
  const { data: instances } = useQuery({
    ...firstInstancesQuery(workspace.id),
    enabled: useCan('instances:read'),
  });
  const params = { workspace: workspace.slug };
  if (instances?.length === 0)
    return (
      <ButtonLink
        to="/w/$workspace/instances"
        params={params}
        search={{ create: true }}
        leftSection={<IconPlus size={16} />}
      >
        {t('Create instance')}
      </ButtonLink>
    );
  return writes ? (
    <ButtonLink
      to="/w/$workspace/chats"
      params={params}
      search={{ new: true }}
      leftSection={<IconPencilPlus size={16} />}
    >
      {t('Create chat')}
    </ButtonLink>
  ) : null;
}
