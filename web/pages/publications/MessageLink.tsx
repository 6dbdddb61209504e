/** Leads to the chat that a message is in. */
import { useQuery } from '@tanstack/react-query';
import { messageQuery } from '../../api/messages.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { Id } from '../../ui/Id.tsx';
import { TextLink } from '../../ui/links.tsx';

export function MessageLink({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const reads = useCan('messages:read');
  const { data } = useQuery({ ...messageQuery(workspace.id, id), enabled: reads });
  return (
    <span>
      <Id id={id} short of="message id" />{' '}
      {data && (
        <TextLink
          to="/w/$workspace/chats/$id"
          params={{ workspace: workspace.slug, id: data.chat.id }}
          search={{}}
        >
          show in its chat
        </TextLink>
      )}
    </span>
  );
}
