/** A small chat to try a model: the answer as it comes, a way to stop it, and the call behind it. */
import { Button, Group, Text, Textarea } from '@mantine/core';
import { IconPlayerStopFilled, IconSend2 } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { Id } from '../../ui/Id.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useChat } from './use-chat.ts';
import classes from './models.module.css';

export function Chat({ model }: { model: string }) {
  const { workspace } = useWorkspace();
  const chat = useChat(workspace.id, model);
  const [draft, setDraft] = useState('');
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chat.messages.length > 0) end.current?.scrollIntoView({ block: 'nearest' });
  }, [chat.messages]);
  const send = () => {
    chat.send(draft);
    setDraft('');
  };
  const asked = chat.messages.filter(({ role }) => role !== 'assistant');
  return (
    <section className={classes.chat} aria-label={`Try ${model}`}>
      <Group justify="space-between" className={classes.chatHead}>
        <Id id={model} of="model id" />
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={chat.clear}
          disabled={asked.length === 0}
        >
          Clear
        </Button>
      </Group>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys */}
      <div className={classes.messages} role="log" aria-label="Conversation" tabIndex={0}>
        {chat.messages.length === 0 && (
          <Text c="dimmed" ta="center" m="auto">
            Say something. The answer streams in as the model writes it.
          </Text>
        )}
        {chat.messages.map(({ id, role, content }, index) => (
          <div key={id} className={classes.message} data-role={role}>
            {content}
            {chat.running && index === chat.messages.length - 1 && (
              <span className={classes.caret} aria-hidden />
            )}
          </div>
        ))}
        {chat.error !== null && <ProblemAlert error={chat.error} />}
        <div ref={end} />
      </div>
      <form
        className={classes.compose}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Textarea
          aria-label="Message"
          placeholder="Message"
          autosize
          minRows={1}
          maxRows={6}
          flex={1}
          value={draft}
          onChange={({ currentTarget }) => setDraft(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {chat.running ? (
          <Button variant="default" leftSection={<IconPlayerStopFilled size={14} />} onClick={chat.stop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend2 size={16} />} disabled={draft.trim() === ''}>
            Send
          </Button>
        )}
      </form>
      <AsCurl
        call={{
          method: 'POST',
          path: '/chat/completions',
          stream: true,
          body: {
            model,
            stream: true,
            messages:
              asked.length > 0
                ? chat.messages.map(({ role, content }) => ({ role, content }))
                : [{ role: 'user', content: draft || 'Hello!' }],
          },
        }}
      />
    </section>
  );
}
