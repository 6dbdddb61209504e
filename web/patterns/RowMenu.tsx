/** The actions of a row, behind a button at its end. */
import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { t } from '../copy/text.ts';
import { preload } from '../api/import-or-wait.ts';
import { lazily } from './lazily.ts';
import type { RowAction } from './row-action.ts';

interface RowMenuProps {
  /** Names the row, for screen readers. */
  of: string;
  actions: RowAction[];
}

const load = () => import('./RowMenuOpen.tsx');
const Open = lazily(load, 'RowMenuOpen');

export function RowMenu({ of, actions }: RowMenuProps) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={t('Actions for {of}', { of })}
      aria-haspopup="menu"
      onPointerEnter={() => preload(load)}
      onClick={() => setWanted(true)}
    >
      <IconDots size={16} />
    </ActionIcon>
  );
  // A click in the menu is not a click on the row.
  return (
    <span role="presentation" onClick={(event) => event.stopPropagation()}>
      <Suspense fallback={button}>{wanted ? <Open button={button} actions={actions} /> : button}</Suspense>
    </span>
  );
}
