/** The button that opens the menu of a message. The menu is loaded on first use. */
import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { t } from '../../copy/text.ts';
import { preload } from '../../api/import-or-wait.ts';
import { lazily } from '../../patterns/lazily.ts';
import type { MessageMenuProps } from './message-actions.ts';

const load = () => import('./MessageMenuOpen.tsx');
const Open = lazily(load, 'MessageMenuOpen');

export function MessageMenu(props: MessageMenuProps) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={t('Actions for message')}
      aria-haspopup="menu"
      onPointerEnter={() => preload(load)}
      onClick={() => setWanted(true)}
    >
      <IconDots size={15} />
    </ActionIcon>
  );
  return <Suspense fallback={button}>{wanted ? <Open button={button} {...props} /> : button}</Suspense>;
}
