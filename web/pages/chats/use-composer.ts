/** The state of the composer: what is written, its file on the way, and the calls that send it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { putMessage } from '../../api/chat-cache.ts';
import { tellTyping } from '../../api/chats.ts';
import { uploadMedia } from '../../api/media.ts';
import { newIdempotencyKey, sendMessage, updateMessage } from '../../api/messages.ts';
import type { Chat, Instance, Media, Message } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { textOf } from './chat-text.ts';
import { bodyOf, can, type Draft, EMPTY, sendableAs } from './draft.ts';
import { meantBy, usePeople } from './people.ts';

/** What was written and not sent, by chat, until the page is left. */
const unsent = new Map<string, string>();
/** How often the other side is told that somebody types. */
const TYPING_MS = 4000;

/** The change that gives an own message another text. */
export const editOf = ({ type }: Message, text: string) =>
  type === 'text' ? { text: { body: text.trim() } } : { [type]: { caption: text.trim() } };

export function useComposer(
  chat: Chat,
  instance: Instance | undefined,
  editing: Message | null,
  done: () => void,
) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const people = usePeople();
  const [draft, setDraft] = useState<Draft>(() => ({
    ...EMPTY,
    text: (editing ? textOf(editing) : unsent.get(chat.id)) ?? '',
  }));
  const [progress, setProgress] = useState<number | null>(null);
  const key = useRef(newIdempotencyKey());
  const uploaded = useRef<{ file: File; media: Media } | null>(null);
  const leaving = useRef(new AbortController());
  const told = useRef(0);
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  const upload = async (file: File): Promise<string> => {
    if (uploaded.current?.file !== file) {
      setProgress(0);
      const media = await uploadMedia(workspace.id, file, setProgress, leaving.current.signal).finally(() =>
        setProgress(null),
      );
      uploaded.current = { file, media };
    }
    return uploaded.current.media.id;
  };
  const sending = useMutation({
    mutationFn: async ({ sent, edited }: { sent: Draft; edited: Message | null }) => {
      if (edited) return updateMessage(workspace.id, edited.id, editOf(edited, sent.text));
      const mediaId = sent.file ? await upload(sent.file) : null;
      return sendMessage(workspace.id, bodyOf(sent, chat, mediaId, meantBy(sent.text, people)), key.current);
    },
    onSuccess: (message) => {
      putMessage(client, workspace.id, message);
      if (!editing) unsent.delete(chat.id);
      uploaded.current = null;
      key.current = newIdempotencyKey();
      told.current = 0;
      setDraft(EMPTY);
      done();
    },
  });

  const change = (changed: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changed }));
    // Another message than the one that was refused.
    key.current = newIdempotencyKey();
    if (sending.error) sending.reset();
  };
  return {
    draft,
    change,
    /** From 0 to 1 while a file is on its way. */
    progress,
    isPending: sending.isPending,
    error: sending.error,
    write(text: string) {
      change({ text });
      if (editing) return;
      if (text === '') unsent.delete(chat.id);
      else unsent.set(chat.id, text);
      const now = Date.now();
      if (text === '' || now - told.current < TYPING_MS || !can(instance, 'typing')) return;
      told.current = now;
      // Whoever isn't told misses nothing.
      tellTyping(workspace.id, chat.id, true).catch(() => undefined);
    },
    attach(file: File | null) {
      const as = file && instance ? (sendableAs(instance.capabilities, file)[0] ?? null) : null;
      change({ file, as });
    },
    send(sent: Draft) {
      if (!sending.isPending) sending.mutate({ sent, edited: editing });
    },
  };
}
