/** What can be done with a message, behind a button at its side; the menu is loaded when it is first wanted. */
import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { Message } from '../../api/types.ts';
import type { OnAction } from './Bubble.tsx';
import type { Possible } from './message-actions.ts';

export interface MessageMenuProps {
  message: Message;
  possible: Possible;
  onAction: OnAction;
}

const load = () => import('./MessageMenuOpen.tsx');
const Open = lazy(async () => ({ default: (await load()).MessageMenuOpen }));

export function MessageMenu(props: MessageMenuProps) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label="Actions for the message"
      aria-haspopup="menu"
      onPointerEnter={() => void load()}
      onClick={() => setWanted(true)}
    >
      <IconDots size={15} />
    </ActionIcon>
  );
  return <Suspense fallback={button}>{wanted ? <Open button={button} {...props} /> : button}</Suspense>;
}
