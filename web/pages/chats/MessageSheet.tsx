/** A message as the API tells it. */
import { Stack, Text } from '@mantine/core';
import type { Message } from '../../api/types.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { exactTime } from '../../ui/time.ts';
import ui from '../../ui/ui.module.css';

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
          ['Id', <Id id={id} />],
          externalId === null ? null : ['At the channel', <span className={ui.mono}>{externalId}</span>],
          ['Status', status],
          ['Source', source],
          ['From', <span className={ui.mono}>{from ?? '–'}</span>],
          ['To', <span className={ui.mono}>{to ?? '–'}</span>],
          ['Sequence', sequence],
          [
            'History',
            <div>
              {history.map((entry) => (
                <Text key={`${entry.status} ${entry.at}`}>
                  {entry.status}{' '}
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
