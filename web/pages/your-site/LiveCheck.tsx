/** What one sees while the first call from one's site is awaited; help, where it takes long. */
import { List, Stack, Text } from '@mantine/core';
import { useFromClock } from '../../ui/time.ts';
import ui from '../../ui/ui.module.css';
import { Waiting } from '../overview/Arrival.tsx';

/** Help is offered after this long without a call. */
const PATIENCE_MS = 20_000;

interface LiveCheckProps {
  origins: readonly string[];
  /** When the waiting began, in milliseconds since the epoch. */
  since: number;
}

export function LiveCheck({ origins, since }: LiveCheckProps) {
  const late = useFromClock((now) => now - since > PATIENCE_MS);
  return (
    <Stack gap="sm">
      <Waiting>Open your page. Its call shows up here by itself.</Waiting>
      {late && (
        <div>
          <Text c="dimmed">Nothing yet? Look into the browser’s console, and check that</Text>
          <List size="sm" c="dimmed">
            <List.Item>
              the page is opened from <span className={ui.mono}>{origins.join(' or ')}</span>, not from a
              file,
            </List.Item>
            <List.Item>this server can be reached from there: a page on https can call only https.</List.Item>
          </List>
        </div>
      )}
    </Stack>
  );
}
