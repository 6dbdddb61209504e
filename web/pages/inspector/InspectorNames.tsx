/** The inspectors of the workspace, with how much came to each. */
import { Text, UnstyledButton } from '@mantine/core';
import type { Inspector } from '../../api/types.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import classes from './inspector.module.css';

interface InspectorNamesProps {
  inspectors: readonly Inspector[];
  shown: Inspector;
  onSelect: (id: string) => void;
}

export function InspectorNames({ inspectors, shown, onSelect }: InspectorNamesProps) {
  return (
    <ul className={classes.names} aria-label="Inspectors">
      {inspectors.map((inspector) => (
        <li key={inspector.id}>
          <UnstyledButton
            className={classes.name}
            aria-current={inspector.id === shown.id || undefined}
            onClick={() => onSelect(inspector.id)}
          >
            <Text truncate fw={500}>
              {inspector.name}
            </Text>
            <Text size="xs" c="dimmed" truncate component="div">
              {inspector.requests_received === 0 ? (
                'nothing yet'
              ) : (
                <>
                  {inspector.requests_received} · <RelativeTime at={inspector.last_received_at} />
                </>
              )}
            </Text>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
