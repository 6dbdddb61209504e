/** States of a list: loading, failed, no match, empty. */
import { Box, Button, EmptyState, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import { curlFor, type CallExample } from '../api/curl.ts';
import { isMissing } from '../api/problem.ts';
import { t } from '../copy/text.ts';
import { CodeBlock } from '../design/CodeBlock.tsx';
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

interface EmptyListProps {
  /** Left out where an example stands above. */
  icon?: TablerIcon;
  title: string;
  /** What they are for, in a sentence. */
  children: React.ReactNode;
  action?: React.ReactNode;
  /** The API call that creates the first one. */
  call?: CallExample;
  /** A command to try, in place of the API call. */
  example?: { label: string; text: string };
}

export function EmptyList({ icon: Icon, title, children, action, call, example }: EmptyListProps) {
  const shown = example ?? (call && { label: t('With the API'), text: curlFor(call) });
  return (
    <Stack align="center" gap="lg" py={Icon ? 48 : 16} px="md">
      <EmptyState icon={Icon && <Icon size={24} stroke={1.5} />} maw={460} size="sm" withIndicatorBackground>
        <EmptyState.Title order={2}>{title}</EmptyState.Title>
        <EmptyState.Description>{children}</EmptyState.Description>
        {action && <EmptyState.Actions>{action}</EmptyState.Actions>}
      </EmptyState>
      {shown && (
        <Box w="100%" maw={620}>
          <Text size="xs" c="dimmed" mb={6}>
            {shown.label}
          </Text>
          <CodeBlock text={shown.text} label={t('Copy cURL')} />
        </Box>
      )}
    </Stack>
  );
}
