/** States of a list: loading, failed, no match, empty. */
import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { isMissing } from '../api/problem.ts';
import { t } from '../copy/text.ts';
import type { EmptyListProps } from './EmptyList.tsx';
import { lazily } from './lazily.ts';
import { ProblemAlert } from './ProblemAlert.tsx';

const ROWS = 6;

export function LoadingList({ label = t('Loading') }: { label?: string }) {
  return (
    <Stack gap={14} py="md" role="status" aria-label={label}>
      {Array.from({ length: ROWS }, (_, row) => (
        <Group key={row} gap="xl" wrap="nowrap">
          <Skeleton h={12} w={`${30 - (row % 3) * 6}%`} />
          <Skeleton h={12} w="18%" />
          <Skeleton h={12} w="26%" visibleFrom="sm" />
        </Group>
      ))}
    </Stack>
  );
}

export function FailedList({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <Box py="md" maw={640}>
      <ProblemAlert
        error={error}
        action={
          // A missing record stays missing.
          isMissing(error) ? null : (
            <Button size="xs" variant="default" mt="sm" onClick={retry}>
              {t('Try again')}
            </Button>
          )
        }
      />
    </Box>
  );
}

interface NoMatchProps {
  /** Clears the filters. */
  clear?: () => void;
  /** Searches older records: a request to the API looks through a limited number. */
  further: (() => void) | undefined;
}

/** Where filters leave nothing, or nothing so far. */
export function NoMatch({ clear, further }: NoMatchProps) {
  return (
    <Stack align="center" py="xl" gap="sm">
      <Text c="dimmed">
        {further ? t('No matches among the newest. There are older ones.') : t('No matches')}
      </Text>
      <Group gap="xs">
        {further && (
          <Button size="xs" variant="default" onClick={further}>
            {t('Search older')}
          </Button>
        )}
        {clear && (
          <Button size="xs" variant="default" onClick={clear}>
            {t('Clear filters')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const LazyEmptyList = lazily(() => import('./EmptyList.tsx'), 'EmptyList');

/** Says that there is nothing yet. Loaded when it is needed: most lists have records. */
export const EmptyList = (props: EmptyListProps) => (
  <Suspense>
    <LazyEmptyList {...props} />
  </Suspense>
);
