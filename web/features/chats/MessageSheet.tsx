/** The details of a message, as the API returns it. */
import { Stack, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Message } from '../../api/types.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { sourceLabel, statusLabel } from './chat-text.ts';

export function MessageSheet({ message }: { message: Message }) {
  const {
    id,
    external_id: externalId,
    status,
    status_history: history,
    sequence,
    source,
    from,
    to,
  } = message;
  return (
    <Stack>
      <DescriptionList
        rows={[
          [t('ID'), <Id id={id} />],
          externalId === null ? null : [t('External ID'), <span className={ui.mono}>{externalId}</span>],
          [t('Status'), statusLabel(status)],
          [t('Source'), sourceLabel(source)],
          [t('From'), <span className={ui.mono}>{from ?? '–'}</span>],
          [t('To'), <span className={ui.mono}>{to ?? '–'}</span>],
          [t('Sequence'), sequence],
          [
            t('History'),
            <div>
              {history.map((entry) => (
                <Text key={`${entry.status} ${entry.at}`}>
                  {statusLabel(entry.status)}{' '}
                  <Text span c="dimmed">
                    {exactTime(entry.at)}
                  </Text>
                </Text>
              ))}
            </div>,
          ],
        ]}
      />
      <JsonView value={message} />
      <AsCurl call={{ method: 'GET', path: `/messages/${id}` }} />
    </Stack>
  );
}
