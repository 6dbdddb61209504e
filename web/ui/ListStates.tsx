/** What a list shows while it loads, where it is empty, and where it could not be loaded. */
import { Box, Button, EmptyState, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import { curlFor, type CallExample } from '../api/curl.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

const ROWS = 6;

export function LoadingList({ label = 'Loading' }: { label?: string }) {
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
          <Button size="xs" variant="default" mt="sm" onClick={retry}>
            Try again
          </Button>
        }
      />
    </Box>
  );
}

interface NoMatchProps {
  /** "delivery" */
  of: string;
  /** Looks through older ones: a page of the API looks through a bounded number. */
  further: (() => void) | undefined;
}

/** Where filters leave nothing, or nothing so far. */
export function NoMatch({ of, further }: NoMatchProps) {
  return (
    <Stack align="center" py="xl" gap="sm">
      <Text c="dimmed">
        {further ? 'None of the newest matches; there are older ones.' : `No ${of} matches these filters.`}
      </Text>
      {further && (
        <Button size="xs" variant="default" onClick={further}>
          Look further back
        </Button>
      )}
    </Stack>
  );
}

interface EmptyListProps {
  icon: TablerIcon;
  title: string;
  /** What these are and what they are for, in a sentence or two. */
  children: React.ReactNode;
  action?: React.ReactNode;
  /** How a program would make the first one. */
  call?: CallExample;
}

export function EmptyList({ icon: Icon, title, children, action, call }: EmptyListProps) {
  return (
    <Stack align="center" gap="lg" py={48} px="md">
      <EmptyState icon={<Icon size={24} stroke={1.5} />} maw={460} size="sm" withIndicatorBackground>
        <EmptyState.Title order={2}>{title}</EmptyState.Title>
        <EmptyState.Description>{children}</EmptyState.Description>
        {action && <EmptyState.Actions>{action}</EmptyState.Actions>}
      </EmptyState>
      {call && (
        <Box w="100%" maw={620}>
          <Text size="xs" c="dimmed" mb={6}>
            The same by the API
          </Text>
          <CodeBlock text={curlFor(call)} label="Copy cURL" />
        </Box>
      )}
    </Stack>
  );
}
