/** An empty list: its purpose, how to begin, and the call that creates the first record. */
import { Box, EmptyState, Stack, Text } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import { curlFor, type CallExample } from '../api/curl.ts';
import { t } from '../copy/text.ts';
import { CodeBlock } from '../design/CodeBlock.tsx';

export interface EmptyListProps {
  /** Omitted if an example is shown above. */
  icon?: TablerIcon;
  title: string;
  /** The purpose of the records, in one sentence. */
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
        {action && <EmptyState.Actions mt="xs">{action}</EmptyState.Actions>}
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
