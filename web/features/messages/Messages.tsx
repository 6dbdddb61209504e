/** The messages of all chats, with search and filters. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconMessage2Search } from '@tabler/icons-react';
import { useState } from 'react';
import { messagesQuery, refreshMessageLists } from '../../api/message-list.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { type Filter, spanStart } from '../../patterns/list/filter.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { LiveLog } from '../../patterns/live/LiveLog.tsx';
import { useRefreshOnEvents } from '../../patterns/live/use-refresh-on-events.ts';
import { FirstChatButton } from './FirstChatButton.tsx';
import { statusLabel, getSummary, typeWord } from './message-text.ts';
import { instanceFilter } from '../instances/instance-filter.ts';
import { useInstanceNames } from '../instances/use-instance-names.ts';
import { messageColumns } from './message-columns.tsx';
import { MESSAGE_STATUSES, MESSAGE_TYPES } from './message-params.ts';
import { useChatsOf } from './use-chats-of.ts';

const route = getRouteApi('/w/$workspace/messages');

const FIRST_MESSAGE = {
  method: 'POST',
  path: '/messages',
  body: { instance_id: 'ins_…', to: 'alice', type: 'text', text: { body: 'Hello Alice' } },
} as const;

const filtersFor = (workspaceId: string): Filter[] => [
  {
    kind: 'choice',
    key: 'direction',
    label: t('Direction'),
    options: [
      { value: 'inbound', label: t('Inbound') },
      { value: 'outbound', label: t('Outbound') },
    ],
  },
  {
    kind: 'choice',
    key: 'status',
    label: t('Status'),
    options: MESSAGE_STATUSES.map((status) => ({ value: status, label: statusLabel(status) })),
  },
  {
    kind: 'choice',
    key: 'type',
    label: t('Type'),
    options: MESSAGE_TYPES.map((type) => ({ value: type, label: typeWord(type) })),
  },
  instanceFilter(workspaceId),
  { kind: 'span', key: 'since', label: t('Created') },
];

export function Messages() {
  const { workspace } = useWorkspace();
  const { q, direction, status, type, instance, since } = route.useSearch();
  const [openedAt] = useState(Date.now);
  const filter = {
    q,
    direction,
    status,
    type,
    instance_id: instance,
    created_after: since === undefined ? undefined : spanStart(since, openedAt),
  };
  const client = useQueryClient();
  const list = useInfiniteQuery(messagesQuery(workspace.id, filter));
  const instances = useInstanceNames((list.data ?? []).map(({ instance_id: id }) => id));
  const chats = useChatsOf(list.data ?? []);
  const live = useRefreshOnEvents('message.*', () => void refreshMessageLists(client, workspace.id));
  const columns = messageColumns({
    chats,
    instances,
    query: q,
  });
  return (
    <LiveLog
      name="messages"
      title={t('Messages')}
      description={t('Messages of all chats, newest first.')}
      search={t('Search messages')}
      filters={filtersFor(workspace.id)}
      list={list}
      columns={columns}
      live={live}
      rowLabel={getSummary}
      failed={({ status: state }) => state === 'failed'}
      link={({ id, chat }) => ({
        to: '/w/$workspace/chats/$id',
        params: { workspace: workspace.slug, id: chat.id },
        search: { message: id },
      })}
      empty={
        <EmptyList
          icon={IconMessage2Search}
          title={t('No messages yet')}
          call={FIRST_MESSAGE}
          action={<FirstChatButton />}
        >
          {t('Every message that you send or receive appears here.')}
        </EmptyList>
      }
    />
  );
}
