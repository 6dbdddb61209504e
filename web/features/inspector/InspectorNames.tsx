/** The list of inspectors with their request counts. */
import { Text, UnstyledButton } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import type { Inspector } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import classes from './inspector.module.css';

interface InspectorNamesProps {
  inspectors: readonly Inspector[];
  shown: Inspector;
  onSelect: (id: string) => void;
}

export function InspectorNames({ inspectors, shown, onSelect }: InspectorNamesProps) {
  return (
    <ul className={classes.names} aria-label={t('Inspectors')}>
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
                t('No requests yet')
              ) : (
                <>
                  {plural(inspector.requests_received, { one: '{count} request', other: '{count} requests' })}{' '}
                  · <RelativeTime at={inspector.last_received_at} />
                </>
              )}
            </Text>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
