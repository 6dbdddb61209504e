/** Waits for the first call from the user's site, and offers help if there is none. */
import { List, Stack, Text } from '@mantine/core';
import { language, rich, t } from '../../copy/text.ts';
import { useFromClock } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { Waiting } from '../overview/Arrival.tsx';

const anyOf = new Intl.ListFormat(language, { type: 'disjunction' });
const HELP_AFTER_MS = 20_000;

interface LiveCheckProps {
  origins: readonly string[];
  /** When the key was created, in milliseconds since the epoch. */
  since: number;
}

export function LiveCheck({ origins, since }: LiveCheckProps) {
  const late = useFromClock((now) => now - since > HELP_AFTER_MS);
  return (
    <Stack gap="sm">
      <Waiting>{t('Open your page in a browser. This page updates automatically.')}</Waiting>
      {late && (
        <div>
          <Text c="dimmed">{t('No call yet? Check the browser console and make sure that:')}</Text>
          <List size="sm" c="dimmed">
            <List.Item>
              {rich(
                'you opened the page from <origin>{origins}</origin>, not from a file,',
                { origin: (words) => <span className={ui.mono}>{words}</span> },
                { origins: anyOf.format(origins) },
              )}
            </List.Item>
            <List.Item>
              {t('the browser can reach this server. Pages on HTTPS can only call HTTPS.')}
            </List.Item>
          </List>
        </div>
      )}
    </Stack>
  );
}
