/** In place of chats, while a workspace has none. */
import { IconMessages } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { FirstChatButton } from '../messages/FirstChatButton.tsx';

export const NoChats = () => (
  <EmptyList icon={IconMessages} title={t('No chats yet')} action={<FirstChatButton />}>
    {t('Chats appear here when someone messages you or you message them.')}
  </EmptyList>
);
