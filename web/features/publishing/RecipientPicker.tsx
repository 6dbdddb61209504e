/** Selects a contact, a chat, or a group of an instance. */
import type { QueryFunctionContext } from '@tanstack/react-query';
import { chatQuery, chatsQuery } from '../../api/chats.ts';
import { contactQuery, contactsQuery } from '../../api/contacts.ts';
import { groupQuery, groupsQuery } from '../../api/groups.ts';
import type { Chat, Group } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { LookupSelect } from '../../patterns/form/LookupSelect.tsx';
import { chatTitle } from '../messages/message-text.ts';
import { contactName } from '../contacts/contact-text.ts';
import type { RecipientKind } from './editor-form.ts';

type Kind = Exclude<RecipientKind, 'to'>;

interface RecipientPickerProps {
  kind: Kind;
  label: string;
  /** Empty for recipients of all instances. */
  instanceId?: string;
  clearable?: boolean;
  /** ID of the selected one; empty for none. */
  value: string;
  onChange: (id: string) => void;
}

const groupName = ({ id, subject, external_id: address }: Group): string => subject ?? address ?? id;

type Client = QueryFunctionContext['client'];

/** Returns the first records whose name contains a text, with their names. */
async function find(client: Client, workspaceId: string, kind: Kind, filter: object, search: string) {
  const named = (key: string) => ({ ...filter, ...(search !== '' && { [key]: search }) });
  if (kind === 'contact_id') {
    const { pages } = await client.fetchInfiniteQuery(contactsQuery(workspaceId, named('search')));
    return pages.flatMap(({ data }) => data.map((one) => ({ value: one.id, label: contactName(one) })));
  }
  if (kind === 'chat_id') {
    const { pages } = await client.fetchInfiniteQuery(chatsQuery(workspaceId, named('q')));
    return pages.flatMap(({ data }) => data.map((one: Chat) => ({ value: one.id, label: chatTitle(one) })));
  }
  const joined = { ...named('q'), membership: 'joined' as const };
  const { pages } = await client.fetchInfiniteQuery(groupsQuery(workspaceId, joined));
  return pages.flatMap(({ data }) => data.map((one) => ({ value: one.id, label: groupName(one) })));
}

async function getName(client: Client, workspaceId: string, kind: Kind, id: string): Promise<string> {
  if (kind === 'contact_id') return contactName(await client.fetchQuery(contactQuery(workspaceId, id)));
  if (kind === 'chat_id') return chatTitle(await client.fetchQuery(chatQuery(workspaceId, id)));
  return groupName(await client.fetchQuery(groupQuery(workspaceId, id)));
}

export function RecipientPicker({ kind, label, instanceId = '', ...field }: RecipientPickerProps) {
  const { workspace } = useWorkspace();
  const filter = instanceId === '' ? {} : { instance_id: instanceId };
  return (
    <LookupSelect
      aria-label={label}
      {...field}
      missing={t('Deleted')}
      options={(search) => ({
        queryKey: ['ws', workspace.id, 'recipients', kind, instanceId, search],
        queryFn: ({ client }) => find(client, workspace.id, kind, filter, search),
      })}
      labelFor={(id) => ({
        queryKey: ['ws', workspace.id, 'recipients', 'name', kind, id],
        queryFn: ({ client }) => getName(client, workspace.id, kind, id),
      })}
    />
  );
}
