/** A contact, chat or group of an instance, found by name. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { chatQuery, chatsQuery } from '../../api/chats.ts';
import { contactQuery, contactsQuery } from '../../api/contacts.ts';
import { groupQuery, groupsQuery } from '../../api/groups.ts';
import type { Chat, Contact, Group } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { chatTitle } from '../chats/chat-text.ts';
import type { RecipientKind } from './editor-form.ts';

type Kind = Exclude<RecipientKind, 'to'>;

interface RecipientPickerProps {
  kind: Kind;
  label: string;
  instanceId: string;
  /** Its id; empty for none. */
  value: string;
  onChange: (id: string) => void;
}

const TYPED_MS = 150;
/** Characters that the API looks for. */
const MAX_TYPED = 200;

interface Option {
  value: string;
  label: string;
}
const contactOption = ({ id, name, profile_name: profile, identities }: Contact): Option => ({
  value: id,
  label: name ?? profile ?? identities[0]?.address ?? id,
});
const chatOption = (chat: Chat): Option => ({ value: chat.id, label: chatTitle(chat) });
const groupOption = ({ id, subject, external_id: address }: Group): Option => ({
  value: id,
  label: subject ?? address ?? id,
});

function useOptions(kind: Kind, instanceId: string, search: string): Option[] {
  const { workspace } = useWorkspace();
  const by = (name: string) => ({
    ...(instanceId !== '' && { instance_id: instanceId }),
    ...(search !== '' && { [name]: search }),
  });
  const shared = { placeholderData: keepPreviousData };
  const contacts = useInfiniteQuery({
    ...contactsQuery(workspace.id, by('name')),
    ...shared,
    enabled: kind === 'contact_id',
  });
  const chats = useInfiniteQuery({
    ...chatsQuery(workspace.id, by('q')),
    ...shared,
    enabled: kind === 'chat_id',
  });
  const groups = useInfiniteQuery({
    ...groupsQuery(workspace.id, { ...by('q'), membership: 'joined' }),
    ...shared,
    enabled: kind === 'group_id',
  });
  if (kind === 'contact_id') return contacts.data?.map(contactOption) ?? [];
  if (kind === 'chat_id') return chats.data?.map(chatOption) ?? [];
  return groups.data?.map(groupOption) ?? [];
}

/** The one that is chosen, which the list need not have. */
function useChosen(kind: Kind, id: string): Option | undefined {
  const { workspace } = useWorkspace();
  const asked = (wanted: Kind) => kind === wanted && id !== '';
  const contact = useQuery({ ...contactQuery(workspace.id, id), enabled: asked('contact_id'), retry: false });
  const chat = useQuery({ ...chatQuery(workspace.id, id), enabled: asked('chat_id'), retry: false });
  const group = useQuery({ ...groupQuery(workspace.id, id), enabled: asked('group_id'), retry: false });
  if (asked('contact_id')) return contact.data && contactOption(contact.data);
  if (asked('chat_id')) return chat.data && chatOption(chat.data);
  return asked('group_id') ? group.data && groupOption(group.data) : undefined;
}

export function RecipientPicker({ kind, label, instanceId, value, onChange }: RecipientPickerProps) {
  const [typed, setTyped] = useState('');
  const chosen = useChosen(kind, value);
  // What a chosen one is called stands in the field, and is no search.
  const [search] = useDebouncedValue(
    typed === chosen?.label ? '' : typed.trim().slice(0, MAX_TYPED),
    TYPED_MS,
  );
  const found = useOptions(kind, instanceId, search);
  const options =
    value !== '' && !found.some((one) => one.value === value)
      ? [chosen ?? { value, label: value }, ...found]
      : found;
  return (
    <Select
      aria-label={label}
      placeholder="Find by name"
      searchable
      data={options}
      // The API has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage="None found"
      searchValue={typed}
      onSearchChange={setTyped}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}
