/** One contact: what is known of it, and what can be done with it. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconBan, IconMessage, IconPencil } from '@tabler/icons-react';
import { instancesQuery } from '../../api/instances.ts';
import type { Contact } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import classes from './contacts.module.css';

export type ContactAction = 'edit' | 'block' | 'merge' | 'delete';

interface ContactSheetProps {
  contact: Contact;
  onAction: (action: ContactAction) => void;
}

export function ContactSheet({ contact, onAction }: ContactSheetProps) {
  const writes = useCan('contacts:write');
  const { avatar_url: avatar, profile_name: profile, created_by: by, metadata } = contact;
  return (
    <Stack>
      {writes && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} />}
            onClick={() => onAction('edit')}
          >
            Change
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconBan size={14} />}
            onClick={() => onAction('block')}
          >
            {contact.blocked ? 'Unblock' : 'Block'}
          </Button>
          <Button size="xs" variant="default" onClick={() => onAction('merge')}>
            Merge
          </Button>
          <Button size="xs" variant="default" color="red" onClick={() => onAction('delete')}>
            Delete
          </Button>
        </Group>
      )}
      <DescriptionList
        rows={[
          ['Id', <Id id={contact.id} />],
          profile === null ? null : ['At the channel', <span dir="auto">{profile}</span>],
          contact.blocked ? ['Blocked', <StateDot tone="bad">what it sends is dropped</StateDot>] : null,
          // Another server's picture is not loaded: it would tell that server who looks.
          avatar === null ? null : ['Picture', <span className={ui.mono}>{avatar}</span>],
          ['Made', <RelativeTime at={contact.created_at} />],
          by === null ? ['Made by', 'first heard of on a channel'] : ['Made by', <Id id={by} short />],
        ]}
      />
      <Identities contact={contact} />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      <AsCurl call={{ method: 'GET', path: `/contacts/${contact.id}` }} />
    </Stack>
  );
}

function Identities({ contact: { identities } }: { contact: Contact }) {
  const { workspace } = useWorkspace();
  const sends = useCan('messages:write');
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  if (identities.length === 0) return <Text c="dimmed">No addresses.</Text>;
  return (
    <ul className={classes.identities} aria-label="Addresses">
      {identities.map(({ instance_id: id, address }) => (
        <li key={`${id} ${address}`}>
          <span className={classes.identity}>
            <span className={ui.mono}>{address}</span>
            <Text component="span" size="xs" c="dimmed">
              {instances.find((one) => one.id === id)?.name ?? id}
            </Text>
          </span>
          {sends && (
            <ButtonLink
              size="xs"
              variant="subtle"
              leftSection={<IconMessage size={14} />}
              to="/w/$workspace/chats"
              params={{ workspace: workspace.slug }}
              search={{ new: true, instance: id, to: address }}
            >
              Message
            </ButtonLink>
          )}
        </li>
      ))}
    </ul>
  );
}
