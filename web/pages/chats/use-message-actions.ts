/** Does what a bubble's buttons ask for, where that needs no dialog. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { putMessage } from '../../api/chat-cache.ts';
import {
  cancelMessage,
  newIdempotencyKey,
  reactToMessage,
  sendMessage,
  updateMessage,
} from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { copyText } from '../../ui/copy.ts';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';
import { textOf } from './chat-text.ts';
import { bodyOfCopy } from './draft.ts';

type Direct = 'cancel' | 'sendNow' | 'sendAgain' | 'react';

async function perform(workspaceId: string, message: Message, action: Direct, emoji: string | null) {
  if (action === 'cancel') return cancelMessage(workspaceId, message.id);
  if (action === 'sendNow') return updateMessage(workspaceId, message.id, { scheduled_at: null });
  if (action === 'react') return reactToMessage(workspaceId, message.id, emoji);
  const body = bodyOfCopy(message);
  if (!body) throw new Error('The file of the message is not there any more.');
  return sendMessage(workspaceId, body, newIdempotencyKey());
}

export function useMessageActions(workspaceId: string) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ message, action, emoji }: { message: Message; action: Direct; emoji: string | null }) =>
      perform(workspaceId, message, action, emoji),
    onSuccess: (message) => putMessage(client, workspaceId, message),
    onError: notifyFailed,
  });
  return {
    perform: (message: Message, action: Direct, emoji: string | null = null) =>
      mutate({ message, action, emoji }),
    copy: (message: Message) => {
      void copyText(textOf(message) ?? '').then((copied) =>
        copied ? notifyDone('Copied') : notifyFailed(new Error('The browser refused to copy.')),
      );
    },
  };
}
