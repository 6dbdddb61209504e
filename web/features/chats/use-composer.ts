/** The state of the composer: the draft, the upload of its file and the requests that send it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { send } from '../../api/call.ts';
import { putMessage } from '../../api/chat-cache.ts';
import { tellTyping } from '../../api/chats.ts';
import { uploadMedia } from '../../api/media.ts';
import { createMessage, makeSender, updateMessage } from '../../api/messages.ts';
import { onSessionEnd } from '../../api/session-end.ts';
import type { Chat, Instance, Media, Message } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { getText } from '../messages/message-text.ts';
import { can } from '../../api/instances.ts';
import { toBody, type Draft, EMPTY, sendableAs } from './draft.ts';
import type { ThreadId } from './threads.ts';
import { findMentioned, usePeople } from './people.ts';

/** Unsent text by chat, and by message that is edited, until the page is closed or the session ends. */
const unsent = new Map<string, string>();
onSessionEnd(() => unsent.clear());
/** Interval between typing indicators. */
const TYPING_INTERVAL_MS = 4000;

/** Returns the PATCH body that edits the text of a message. */
export const getEdit = ({ type }: Message, text: string) =>
  type === 'text' ? { text: { body: text.trim() } } : { [type]: { caption: text.trim() } };

export function useComposer(
  chat: Chat,
  instance: Instance | undefined,
  editing: Message | null,
  /** The thread that a new draft goes to. */
  lastThread: ThreadId,
  done: () => void,
) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const people = usePeople();
  const target = editing?.id ?? chat.id;
  const original = (editing && getText(editing)) ?? '';
  const [draft, setDraft] = useState<Draft>(() => ({
    ...EMPTY,
    text: unsent.get(target) ?? original,
  }));
  /** The thread that the user chose, for this and further messages. */
  const [chosen, setChosen] = useState<ThreadId>();
  const thread = chosen !== undefined ? chosen : draft.thread !== undefined ? draft.thread : lastThread;
  const [progress, setProgress] = useState<number | null>(null);
  const [sendMessage] = useState(() => makeSender(workspace.id));
  const uploaded = useRef<{ file: File; media: Media } | null>(null);
  const leaving = useRef(new AbortController());
  const typingSentAt = useRef(0);
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
      if (edited) return send(workspace.id, updateMessage(edited.id, getEdit(edited, sent.text)));
      const mediaId = sent.file ? await upload(sent.file) : null;
      return sendMessage(createMessage(toBody(sent, chat, mediaId, findMentioned(sent.text, people))));
    },
    onSuccess: (message) => {
      putMessage(client, workspace.id, message);
      unsent.delete(target);
      uploaded.current = null;
      typingSentAt.current = 0;
      setDraft(EMPTY);
      done();
    },
  });

  const change = (changed: Partial<Draft>) => {
    setDraft((before) => {
      const after = { ...before, ...changed };
      const isEmpty = after.text === '' && after.file === null;
      return { ...after, thread: isEmpty ? undefined : thread };
    });
    if (sending.error) sending.reset();
  };
  return {
    draft,
    /** The thread that the draft goes to. */
    thread,
    choose: setChosen,
    change,
    /** From 0 to 1 during an upload. */
    progress,
    isPending: sending.isPending,
    isEdited: editing !== null && draft.text !== original,
    discard() {
      unsent.delete(target);
      done();
    },
    error: sending.error,
    write(text: string) {
      change({ text });
      if (text === original) unsent.delete(target);
      else unsent.set(target, text);
      if (editing) return;
      const now = Date.now();
      if (text === '' || now - typingSentAt.current < TYPING_INTERVAL_MS || !can(instance, 'typing')) return;
      typingSentAt.current = now;
      // A lost typing indicator does no harm.
      send(workspace.id, tellTyping(chat.id, true)).catch(() => undefined);
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
