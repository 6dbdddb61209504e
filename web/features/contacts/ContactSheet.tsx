/** The details of a contact, with its actions. */
import { Stack, Text, Title } from '@mantine/core';
import { IconMessage } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Contact } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { ButtonLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import atoms from '../../design/atoms.module.css';
import ui from '../../design/ui.module.css';
import { ObjectName } from '../../patterns/ObjectName.tsx';
import { useInstanceNames } from '../instances/use-instance-names.ts';
import { contactName } from './contact-text.ts';
import classes from './contacts.module.css';

interface ContactSheetProps {
  contact: Contact;
  actions: readonly Action<Contact>[];
}

export function ContactSheet({ contact, actions }: ContactSheetProps) {
  const { avatar_url: avatar, profile_name: profile, username, created_by: by, metadata } = contact;
  return (
    <Stack>
      <ActionButtons record={contact} of={contactName(contact)} actions={actions} size="xs" />
      <DescriptionList
        rows={[
          [t('ID'), <Id id={contact.id} />],
          profile === null ? null : [t('Profile name'), <span dir="auto">{profile}</span>],
          username === null ? null : [t('Username'), <span className={ui.mono}>{username}</span>],
          contact.blocked
            ? [t('Blocked'), <Status tone="bad">{t('Direct messages are discarded')}</Status>]
            : null,
          // The image isn't loaded: that would reveal the viewer to another server.
          avatar === null ? null : [t('Avatar URL'), <span className={ui.mono}>{avatar}</span>],
          [t('Created'), <RelativeTime at={contact.created_at} />],
          by === null ? [t('Created by'), t('Incoming message')] : [t('Created by'), <ObjectName id={by} />],
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
  const names = useInstanceNames(identities.map(({ instance_id: id }) => id));
  if (identities.length === 0) return <Text c="dimmed">{t('No addresses')}</Text>;
  return (
    <section>
      <Title order={3} size="h5" mb={4}>
        {t('Addresses')}
      </Title>
      <ul className={`${classes.identities} ${atoms.plainList}`} aria-label={t('Addresses')}>
        {identities.map(({ instance_id: id, address }) => (
          <li key={`${id} ${address}`}>
            <span className={atoms.wordStack}>
              <span className={ui.mono}>{address}</span>
              <Text component="span" size="xs" c="dimmed">
                {names.get(id) ?? '…'}
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
                {t('Message')}
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
