/** Links a message to its chat. */
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { messageQuery } from '../../api/messages.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';

export function MessageLink({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const reads = useCan('messages:read');
  const { data } = useQuery({ ...messageQuery(workspace.id, id), enabled: reads });
  return (
    <span>
      <Id id={id} short of={t('message ID')} />{' '}
      {data && (
        <TextLink
          to="/w/$workspace/chats/$id"
          params={{ workspace: workspace.slug, id: data.chat.id }}
          search={{}}
        >
          {t('View in chat')}
        </TextLink>
      )}
    </span>
  );
}
