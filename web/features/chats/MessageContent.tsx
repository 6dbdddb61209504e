/** Renders the content of a message by its type. Everything is untrusted and shown as plain text. */
import { Text } from '@mantine/core';
import { IconCalendarEvent, IconForms, IconMapPin, IconTemplate, IconUser } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { Message } from '../../api/types.ts';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import classes from './bubble.module.css';
import { isMediaType, getText, typeWord } from '../messages/message-text.ts';
import { LinkedText } from './LinkedText.tsx';
import { MediaContent } from './MediaContent.tsx';
import { getMentions, usePeople } from './people.ts';

export function MessageContent({ message }: { message: Message }) {
  const { type } = message;
  const people = usePeople();
  if (message.deleted_at !== null || message[type] === null)
    return <em className={atoms.dimmed}>{t('This message was deleted')}</em>;
  const text = getText(message);
  const file = isMediaType(type) ? message[type] : null;
  return (
    <>
      {file && isMediaType(type) && (
        <MediaContent type={type} mediaId={file.media_id} fileName={file.file_name} />
      )}
      {text !== null && <LinkedText text={text} mentions={getMentions(message, people)} />}
      {!file && text === null && <Other message={message} />}
    </>
  );
}

function Other({ message }: { message: Message }) {
  const { location, contacts, poll, reaction, template, interactive, event } = message;
  if (location) return <Place place={location} />;
  if (contacts)
    return keyed(contacts.map(({ name }) => name)).map(({ key }, nth) => {
      const card = contacts[nth];
      return card && <Card key={key} card={card} />;
    });
  if (poll)
    return (
      <Titled
        title={poll.question}
        note={poll.multiple ? t('Multiple answers allowed') : t('One answer allowed')}
      >
        <Choices items={poll.options} />
      </Titled>
    );
  if (interactive)
    return (
      <Titled title={interactive.header} note={interactive.footer}>
        <LinkedText text={interactive.body} />
        <Choices items={interactive.choices.map(({ title }) => title)} />
        <Forms choices={interactive.choices} />
      </Titled>
    );
  if (template)
    return (
      <Titled icon={<IconTemplate size={16} />} title={template.name} note={template.language}>
        {template.parameters && <Choices items={template.parameters} />}
      </Titled>
    );
  if (event)
    return (
      <Titled icon={<IconCalendarEvent size={16} />} title={event.name} note={event.location}>
        <div>
          {exactTime(event.start_at)}
          {event.end_at !== null && ` – ${exactTime(event.end_at)}`}
        </div>
        {event.description !== null && <LinkedText text={event.description} />}
      </Titled>
    );
  return <span className={classes.emoji}>{reaction?.emoji ?? typeWord(message.type)}</span>;
}

/** Shows the form that a choice opens. */
function Forms({ choices }: { choices: NonNullable<Message['interactive']>['choices'] }) {
  return choices.map(
    ({ form_id: formId }) =>
      formId !== undefined && (
        <div key={formId}>
          <IconForms size={16} aria-hidden /> {t('Opens form')} <span className={ui.mono}>{formId}</span>
        </div>
      ),
  );
}

function Place({ place }: { place: NonNullable<Message['location']> }) {
  const { latitude, longitude, name, address } = place;
  const at = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <Titled icon={<IconMapPin size={16} />} title={name ?? t('Location')} note={address}>
      <a href={map} target="_blank" rel="noopener noreferrer" className={ui.mono}>
        {at}
      </a>
    </Titled>
  );
}

function Card({ card }: { card: NonNullable<Message['contacts']>[number] }) {
  return (
    <Titled icon={<IconUser size={16} />} title={card.name} note={card.organization}>
      {[...(card.phones ?? []), ...(card.emails ?? [])].map((line) => (
        <div key={line} className={ui.mono}>
          {line}
        </div>
      ))}
    </Titled>
  );
}

interface TitledProps {
  icon?: React.ReactNode;
  title: string | null;
  note: string | null;
  children?: React.ReactNode;
}

function Titled({ icon, title, note, children }: TitledProps) {
  return (
    <div className={`${classes.titled} ${atoms.breaks}`} dir="auto">
      {title !== null && (
        <strong>
          {icon} {title}
        </strong>
      )}
      {children}
      {note !== null && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </div>
  );
}

const keyed = (items: readonly string[]) => items.map((item, nth) => ({ item, key: `${nth} ${item}` }));

function Choices({ items }: { items: readonly string[] }) {
  return (
    <ul className={classes.choices}>
      {keyed(items).map(({ item, key }) => (
        <li key={key}>{item}</li>
      ))}
    </ul>
  );
}
