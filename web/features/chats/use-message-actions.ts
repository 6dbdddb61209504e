/** Runs the message actions that need no dialog. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { putMessage } from '../../api/chat-cache.ts';
import {
  cancelMessage,
  createMessage,
  makeSender,
  pinMessage,
  reactToMessage,
  updateMessage,
} from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';
import { copyText } from '../../design/copy.ts';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { getText } from '../messages/message-text.ts';
import { bodyOfCopy } from './draft.ts';

type Direct = 'cancel' | 'sendNow' | 'sendAgain' | 'react' | 'pin' | 'unpin';

async function execute(workspaceId: string, message: Message, action: Direct, emoji: string | null) {
  if (action === 'cancel') return send(workspaceId, cancelMessage(message.id));
  if (action === 'sendNow') return send(workspaceId, updateMessage(message.id, { scheduled_at: null }));
  if (action === 'react') return send(workspaceId, reactToMessage(message.id, emoji));
  if (action === 'pin' || action === 'unpin')
    return send(workspaceId, pinMessage(message.id, action === 'pin'));
  const body = bodyOfCopy(message);
  if (!body) throw new Error(t("The message's file no longer exists."));
  return makeSender(workspaceId)(createMessage(body));
}

export function useMessageActions(workspaceId: string) {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ message, action, emoji }: { message: Message; action: Direct; emoji: string | null }) =>
      execute(workspaceId, message, action, emoji),
    onSuccess: (message) => putMessage(client, workspaceId, message),
    onError: notifyFailed,
  });
  return {
    execute: (message: Message, action: Direct, emoji: string | null = null) =>
      mutate({ message, action, emoji }),
    copy: (message: Message) => {
      void copyText(getText(message) ?? '').then((copied) =>
        copied
          ? notifyDone(t('Copied'))
          : notifyFailed(new Error(t("Couldn't copy. Your browser blocked access to the clipboard."))),
      );
    },
  };
}
