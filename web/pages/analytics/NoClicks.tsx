/** Where nothing was clicked: what to do so that something is. */
import { Box, Button, EmptyState, Stack, Text } from '@mantine/core';
import { IconChartAreaLine } from '@tabler/icons-react';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import type { AnalyticsSearch, Change } from './analytics-search.ts';
import { filtersOf, withoutFilters } from './analytics-search.ts';

interface NoClicksProps {
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
  /** A link that can be followed; where there is none yet, what stands in its place says so. */
  shortUrl: string | undefined;
  /** Whether there were any clicks, ever. */
  ever: boolean;
  action?: React.ReactNode;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function NoClicks({ search, go, shortUrl, ever, action }: NoClicksProps) {
  const filtered = Object.keys(filtersOf(search)).length > 0;
  const farther = search.range === '90d' || search.range === 'custom' ? null : '90d';
  return (
    <Stack align="center" gap="lg" py={40} px="md">
      <EmptyState
        icon={<IconChartAreaLine size={24} stroke={1.5} />}
        maw={460}
        size="sm"
        withIndicatorBackground
      >
        <EmptyState.Title order={2}>
          {filtered ? 'No clicks match' : ever ? 'No clicks in this range' : 'No clicks yet'}
        </EmptyState.Title>
        <EmptyState.Description>
          {filtered
            ? 'Nobody with these values came in this range.'
            : 'Each visit that is sent on shows here within a second: people and bots apart, with place, device and referrer.'}
        </EmptyState.Description>
        <EmptyState.Actions>
          {filtered && (
            <Button size="xs" variant="default" onClick={() => go(withoutFilters())}>
              Remove the filters
            </Button>
          )}
          {farther && ever && (
            <Button size="xs" variant="default" onClick={() => go({ range: farther })}>
              Show 90 days
            </Button>
          )}
          {action}
        </EmptyState.Actions>
      </EmptyState>
      {!filtered && shortUrl !== undefined && (
        <Box w="100%" maw={620}>
          <Text size="xs" c="dimmed" mb={6}>
            Follow the link in a browser, or from a shell
          </Text>
          <CodeBlock text={`curl -i ${quoted(shortUrl)}`} label="Copy cURL" wrap />
        </Box>
      )}
    </Stack>
  );
}
