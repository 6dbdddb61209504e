/** What can be done with all that are chosen. */
import { Button, CloseButton } from '@mantine/core';
import { lazy, useState } from 'react';
import type { Link } from '../../api/types.ts';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import type { BulkAction } from './bulk-actions.ts';
import { numberOf } from './link-text.ts';
import classes from './links.module.css';

const BulkDialog = lazy(async () => ({ default: (await import('./BulkDialog.tsx')).BulkDialog }));

interface BulkBarProps {
  links: readonly Link[];
  onClear: () => void;
  /** Something was changed. */
  onDone: () => void;
}

const ACTIONS: { action: BulkAction; label: string; fits?: (link: Link) => boolean }[] = [
  { action: 'archive', label: 'Archive', fits: ({ state }) => state !== 'archived' },
  { action: 'restore', label: 'Restore', fits: ({ state }) => state === 'archived' },
  { action: 'add_tags', label: 'Add tags' },
  { action: 'remove_tags', label: 'Remove tags', fits: ({ tags }) => tags.length > 0 },
  { action: 'expire', label: 'Set expiry' },
];

export function BulkBar({ links, onClear, onDone }: BulkBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <div className={classes.bulk} role="group" aria-label="With those that are selected">
      <span role="status">{`${numberOf(links.length)} selected`}</span>
      {ACTIONS.filter(({ fits = () => true }) => links.some(fits)).map(({ action: name, label }) => (
        <Button key={name} size="xs" variant="default" onClick={() => setAction(name)}>
          {label}
        </Button>
      ))}
      <Button size="xs" variant="default" color="red" onClick={() => setAction('delete')}>
        Delete
      </Button>
      <CloseButton size="sm" aria-label="Select none" onClick={onClear} />
      <OnceOpened opened={action !== null}>
        <BulkDialog
          action={action}
          links={links}
          onClose={() => setAction(null)}
          onDone={(isAll) => {
            onDone();
            if (isAll) {
              setAction(null);
              onClear();
            }
          }}
        />
      </OnceOpened>
    </div>
  );
}
