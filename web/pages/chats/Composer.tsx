/** Where messages of a chat are written: text, a file, a time, an answer to another message, or a change of one. */
import { ActionIcon, Button, FileButton, Group, Text, TextInput } from '@mantine/core';
import { IconCalendarClock, IconPaperclip, IconSend2, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { MAX_UPLOAD_BYTES } from '../../api/media.ts';
import type { Chat, Instance, Message } from '../../api/types.ts';
import { useCan } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { AttachedFile } from './AttachedFile.tsx';
import { MEDIA_TYPES, summaryOf } from './chat-text.ts';
import classes from './chats.module.css';
import { bodyOf, faultOfDraft } from './draft.ts';
import { MentionField } from './MentionField.tsx';
import { authorOf, meantBy, usePeople } from './people.ts';
import { editOf, useComposer } from './use-composer.ts';

/** To be made anew (by its key) for each message that is changed. */
interface ComposerProps {
  chat: Chat;
  instance: Instance;
  /** The message that is answered, or changed. */
  reply: Message | null;
  editing: Message | null;
  onDone: () => void;
}

export function Composer({ chat, instance, reply, editing, onDone }: ComposerProps) {
  const composer = useComposer(chat, instance, editing, onDone);
  const { draft, isPending } = composer;
  const people = usePeople();
  const uploads =
    useCan('media:write') && !editing && MEDIA_TYPES.some((type) => instance.capabilities.types[type]);
  const field = useRef<HTMLTextAreaElement>(null);
  const { change } = composer;
  useEffect(() => {
    if (reply || editing) field.current?.focus();
  }, [reply, editing]);

  const whole = { ...draft, reply };
  const isEmpty = draft.text.trim() === '' && !draft.file;
  const tooLarge = draft.file !== null && draft.file.size > MAX_UPLOAD_BYTES;
  const fault = tooLarge
    ? 'A file may have at most 64 MiB.'
    : draft.file && draft.as === null
      ? 'The channel takes no such file.'
      : faultOfDraft(draft, instance.capabilities);
  const send = () => {
    if (!isEmpty && fault === null) composer.send(whole);
  };
  const about = editing ?? reply;
  return (
    <form
      className={classes.composer}
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {about && (
        <div className={classes.about}>
          <div>
            <strong>{editing ? 'Edit the message' : `Reply to ${authorOf(about, people)}`}</strong>
            <Text size="xs" c="dimmed" truncate>
              {summaryOf(about)}
            </Text>
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={editing ? 'Stop editing' : 'Do not reply'}
            onClick={onDone}
          >
            <IconX size={15} />
          </ActionIcon>
        </div>
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
            label="Send at"
            value={draft.at}
            onChange={({ currentTarget }) => change({ at: currentTarget.value })}
          />
          <Button size="xs" variant="subtle" color="gray" onClick={() => change({ at: null })}>
            Send at once
          </Button>
        </Group>
      )}
      {composer.error && <ProblemAlert error={composer.error} />}
      {!isEmpty && fault !== null && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {fault}
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
                aria-label="Attach a file"
                data-tip="Attach a file"
              >
                <IconPaperclip size={18} />
              </ActionIcon>
            )}
          </FileButton>
        )}
        <MentionField
          field={field}
          aria-label="Message"
          placeholder={draft.file ? 'Text with the file' : 'Write a message'}
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
            if (event.key === 'Escape' && about) onDone();
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
            aria-label="Send later"
            data-tip="Send later"
            aria-pressed={draft.at !== null}
            onClick={() => change({ at: draft.at === null ? '' : null })}
          >
            <IconCalendarClock size={18} />
          </ActionIcon>
        )}
        <ActionIcon
          type="submit"
          size="lg"
          aria-label={editing ? 'Save' : draft.at === null ? 'Send' : 'Schedule'}
          disabled={isEmpty || fault !== null}
          loading={isPending}
        >
          <IconSend2 size={18} />
        </ActionIcon>
      </div>
      <div className={classes.composerFoot}>
        <AsCurl
          call={
            editing
              ? { method: 'PATCH', path: `/messages/${editing.id}`, body: editOf(editing, draft.text) }
              : {
                  method: 'POST',
                  path: '/messages',
                  body: bodyOf(whole, chat, null, meantBy(draft.text, people)),
                }
          }
        />
        <Text size="xs" c="dimmed" visibleFrom="sm">
          Enter sends, Shift+Enter begins a line
        </Text>
      </div>
    </form>
  );
}
