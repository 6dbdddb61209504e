/** The actions of a record in the header of its page or sheet: the primary ones (on phones the first) as buttons. */
import { Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useWorkspace } from '../../api/workspace-context.ts';
import { type Action, actionsFor } from './action.ts';
import { ActionMenu } from './ActionMenu.tsx';
import { usePageActions } from './page-actions.ts';

interface ActionButtonsProps<T> {
  record: T;
  /** Names the record, for the menu and the search. */
  of: string;
  actions: readonly Action<T>[];
  size?: 'xs' | 'sm';
}

export function ActionButtons<T>({ record, of, actions, size = 'sm' }: ActionButtonsProps<T>) {
  const { scopes } = useWorkspace();
  const narrow = useMediaQuery('(max-width: 40em)');
  usePageActions(record, of, actions);
  const allowed = actionsFor(actions, record, scopes);
  const primary = allowed.filter(({ primary: is, danger }) => is && !danger).slice(0, narrow ? 1 : undefined);
  const others = allowed.filter((action) => !primary.includes(action));
  if (allowed.length === 0) return null;
  return (
    <Group gap="xs" wrap="nowrap">
      {primary.map(({ id, label, icon: Icon, run }) => (
        <Button
          key={id}
          size={size}
          variant="default"
          {...(Icon && { leftSection: <Icon size={15} /> })}
          onClick={() => run(record)}
        >
          {label(record)}
        </Button>
      ))}
      {others.length > 0 && <ActionMenu record={record} of={of} actions={others} />}
    </Group>
  );
}
