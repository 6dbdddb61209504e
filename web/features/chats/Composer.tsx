/** The form that sends, schedules, replies to and edits messages of a chat. */
import { ActionIcon, Button, FileButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconCalendarClock, IconPaperclip, IconSend2, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { MAX_UPLOAD_BYTES } from '../../api/media.ts';
import { createMessage, updateMessage } from '../../api/messages.ts';
import type { Chat, Instance, Message } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { localTime } from '../../design/time.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ConfirmAction } from '../../patterns/lazy-dialogs.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { AttachedFile } from './AttachedFile.tsx';
import { MEDIA_TYPES, getSummary } from '../messages/message-text.ts';
import classes from './chats.module.css';
import { ContentMenu } from './ContentMenu.tsx';
import { can } from '../../api/instances.ts';
import { toBody, getDraftError } from './draft.ts';
import { MentionField } from './MentionField.tsx';
import { getAuthor, findMentioned, usePeople } from './people.ts';
import { getLastThread, getThreads, type ThreadId } from './threads.ts';
import { getEdit, useComposer } from './use-composer.ts';

const HOUR_MS = 3_600_000;

/** Needs a `key` per edited message. */
interface ComposerProps {
  chat: Chat;
  instance: Instance;
  /** The loaded messages, newest first. */
  messages: readonly Message[];
  /** The message to reply to, or to edit. */
  reply: Message | null;
  editing: Message | null;
  onDone: () => void;
}

export function Composer({ chat, instance, messages, reply, editing, onDone }: ComposerProps) {
  const hasThreads = can(instance, 'thread_ids');
  const composer = useComposer(chat, instance, editing, hasThreads ? getLastThread(messages) : null, onDone);
  const { draft, isPending } = composer;
  const [asking, setAsking] = useState(false);
  const cancel = () => (composer.isEdited ? setAsking(true) : onDone());
  const people = usePeople();
  const uploads =
    useCan('media:write') && !editing && MEDIA_TYPES.some((type) => instance.capabilities.types[type]);
  const field = useRef<HTMLTextAreaElement>(null);
  const { change } = composer;
  useEffect(() => {
    if (reply || editing) field.current?.focus();
  }, [reply, editing]);

  const whole = { ...draft, reply, thread: composer.thread };
  const isEmpty = draft.text.trim() === '' && !draft.file;
  const tooLarge = draft.file !== null && draft.file.size > MAX_UPLOAD_BYTES;
  const error = tooLarge
    ? t('Files can be up to 64 MiB.')
    : draft.file && draft.as === null
      ? t("This channel doesn't support this file type.")
      : getDraftError(draft, instance.capabilities);
  const send = () => {
    if (!isEmpty && error === null) composer.send(whole);
  };
  const target = editing ?? reply;
  const submit = { disabled: isEmpty || error !== null, loading: isPending };
  return (
    <form
      className={classes.composer}
      aria-label={t('Compose message')}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {target && (
        <div className={classes.about}>
          <div>
            <strong>
              {editing ? t('Edit message') : t('Reply to {name}', { name: getAuthor(target, people) })}
            </strong>
            <Text size="xs" c="dimmed" truncate>
              {getSummary(target)}
            </Text>
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={editing ? t('Cancel editing') : t('Cancel reply')}
            onClick={cancel}
          >
            <IconX size={15} />
          </ActionIcon>
        </div>
      )}
      {hasThreads && target === null && (
        <ThreadSelect threads={getThreads(messages)} value={composer.thread} onChange={composer.choose} />
      )}
      {draft.file && (
        <AttachedFile
          file={draft.file}
          as={draft.as}
          capabilities={instance.capabilities}
          progress={composer.progress}
          onAs={(as) => change({ as })}
          onRemove={() => composer.attach(null)}
        />
      )}
      {draft.at !== null && (
        <Group gap="xs" align="end">
          <TextInput
            size="xs"
            type="datetime-local"
            label={t('Send at')}
            value={draft.at}
            onChange={({ currentTarget }) => change({ at: currentTarget.value })}
          />
          <Button size="xs" variant="subtle" color="gray" onClick={() => change({ at: null })}>
            {t('Clear time')}
          </Button>
        </Group>
      )}
      {composer.error && <ProblemAlert error={composer.error} />}
      {!isEmpty && error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      <div className={classes.writing}>
        {uploads && (
          <FileButton onChange={composer.attach}>
            {(props) => (
              <ActionIcon
                {...props}
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('Attach file')}
                data-tip={t('Attach file')}
              >
                <IconPaperclip size={18} />
              </ActionIcon>
            )}
          </FileButton>
        )}
        {!editing && (
          <ContentMenu chat={chat} instance={instance} thread={reply ? reply.thread_id : composer.thread} />
        )}
        <MentionField
          field={field}
          aria-label={t('Message')}
          placeholder={draft.file ? t('Add a caption') : t('Write a message')}
          rows={1}
          value={draft.text}
          onWrite={composer.write}
          onPaste={(event) => {
            const [file] = event.clipboardData.files;
            if (!file || !uploads) return;
            event.preventDefault();
            composer.attach(file);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && target) cancel();
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {!editing && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('Send later')}
            data-tip={draft.at === null ? t('Send later') : undefined}
            aria-pressed={draft.at !== null}
            onClick={() => change({ at: draft.at === null ? localTime(Date.now() + HOUR_MS) : null })}
          >
            <IconCalendarClock size={18} />
          </ActionIcon>
        )}
        {draft.at === null ? (
          <ActionIcon type="submit" size="lg" aria-label={editing ? t('Save') : t('Send')} {...submit}>
            <IconSend2 size={18} />
          </ActionIcon>
        ) : (
          <Button type="submit" {...submit}>
            {t('Schedule')}
          </Button>
        )}
      </div>
      <div className={classes.composerFoot}>
        <AsCurl
          call={
            editing
              ? updateMessage(editing.id, getEdit(editing, draft.text))
              : createMessage(toBody(whole, chat, null, findMentioned(draft.text, people)))
          }
        />
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {t('Enter to send, Shift+Enter for a new line')}
        </Text>
      </div>
      <ConfirmAction
        opened={asking}
        title={t('Discard changes?')}
        confirm={t('Discard')}
        action={() => undefined}
        onDone={composer.discard}
        onClose={() => setAsking(false)}
      >
        {t('Your changes have not been saved.')}
      </ConfirmAction>
    </form>
  );
}

/** Chooses the thread that the message goes to; shown if the chat has any. */
function ThreadSelect({
  threads,
  value,
  onChange,
}: {
  threads: readonly ThreadId[];
  value: ThreadId;
  onChange: (thread: ThreadId) => void;
}) {
  const others = threads.filter((id) => id !== null);
  if (others.length === 0) return null;
  return (
    <NativeSelect
      size="xs"
      className={atoms.row}
      label={t('Thread')}
      data={[{ value: '', label: t('No thread') }, ...others.map((id) => ({ value: id, label: id }))]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
    />
  );
}
