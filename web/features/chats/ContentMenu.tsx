/** The menu of structured messages that the channel of a chat supports. */
import { ActionIcon } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import type { Chat, Instance } from '../../api/types.ts';
import { preload } from '../../api/import-or-wait.ts';
import { t } from '../../copy/text.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { type ContentType, getContentTypes } from './content-form.ts';
import type { ThreadId } from './threads.ts';

const ContentDialog = lazyDialog(() => import('./ContentDialog.tsx'), 'ContentDialog');
const loadMenu = () => import('./ContentMenuOpen.tsx');
const ContentMenuOpen = lazily(loadMenu, 'ContentMenuOpen');

interface ContentMenuProps {
  chat: Chat;
  instance: Instance;
  thread: ThreadId;
}

export function ContentMenu({ chat, instance, thread }: ContentMenuProps) {
  const [wanted, setWanted] = useState(false);
  // The dialog keeps its type while it closes.
  const [type, setType] = useState<ContentType>('location');
  const [isOpen, setOpen] = useState(false);
  const types = getContentTypes(instance.capabilities);
  if (types.length === 0) return null;
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t('Send other content')}
      aria-haspopup="menu"
      onPointerEnter={() => preload(loadMenu)}
      onClick={() => setWanted(true)}
    >
      <IconPlus size={18} />
    </ActionIcon>
  );
  return (
    <>
      <Suspense fallback={button}>
        {wanted ? (
          <ContentMenuOpen
            button={button}
            types={types}
            onChoose={(chosen) => {
              setType(chosen);
              setOpen(true);
            }}
          />
        ) : (
          button
        )}
      </Suspense>
      <ContentDialog
        opened={isOpen}
        type={type}
        chat={chat}
        instance={instance}
        thread={thread}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
