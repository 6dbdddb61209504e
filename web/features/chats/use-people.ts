/** Finds the names of people who write in a group. Former participants get the names of their contacts. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { contactQuery } from '../../api/contacts.ts';
import type { Chat, Contact, Group, Instance, Message } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { contactName } from '../contacts/contact-text.ts';
import { can } from '../../api/instances.ts';
import { NOBODY, type People, type Person } from './people.ts';

/** Contacts that are fetched. Further senders are shown by address. */
const MAX_CONTACTS = 30;

/** Returns senders who are not in the group: contact ID by address. */
function findFormer(messages: readonly Message[], known: ReadonlyMap<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const { direction, from, contact_id: contactId } of messages)
    if (
      direction === 'inbound' &&
      from !== null &&
      contactId !== null &&
      !known.has(from) &&
      found.size < MAX_CONTACTS
    )
      found.set(from, contactId);
  return found;
}

const getOthers = (group: Group | undefined, instance: Instance | undefined): Person[] =>
  group?.participants
    .filter(({ address }) => address !== instance?.address)
    .map(({ address, name }) => ({ address, name: name ?? address })) ?? [];

const getNames = (results: { data: Contact | undefined }[]): (string | undefined)[] =>
  results.map(({ data }) => data && contactName(data));

/** @param messages the loaded ones */
export function usePeopleOf(
  chat: Chat,
  group: Group | undefined,
  instance: Instance | undefined,
  messages: readonly Message[],
): People {
  const { workspace } = useWorkspace();
  const reads = useCan('contacts:read');
  const many = chat.kind === 'group';
  const known = useMemo(
    () =>
      new Map(
        group?.participants.flatMap(({ address, name }): [string, string][] =>
          name === null ? [] : [[address, name]],
        ),
      ),
    [group],
  );
  const unknown = useMemo(
    () => (many && reads ? [...findFormer(messages, known)] : []),
    [many, reads, messages, known],
  );
  const names = useQueries({
    queries: unknown.map(([, contactId]) => contactQuery(workspace.id, contactId)),
    combine: getNames,
  });
  return useMemo(() => {
    if (!many) return NOBODY;
    const others = new Map(unknown.map(([address], at) => [address, names[at]]));
    return {
      many,
      own: instance?.address ?? null,
      others: can(instance, 'mention') ? getOthers(group, instance) : [],
      getName: (address) => known.get(address) ?? others.get(address) ?? address,
    };
  }, [many, known, unknown, names, group, instance]);
}
