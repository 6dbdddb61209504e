/** The details of a message, as the API returns it. */
import { Stack, Text } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { Message } from '../../api/types.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { channelDataRows } from './channel-data.ts';
import { sourceLabel, statusLabel } from '../messages/message-text.ts';

export function MessageSheet({ message }: { message: Message }) {
  const {
    id,
    external_id: externalId,
    status,
    status_history: history,
    sequence,
    thread_id: threadId,
    source,
    from,
    to,
    interactive,
    channel_data: channelData,
  } = message;
  const formId = interactive?.choices.find((choice) => choice.form_id !== undefined)?.form_id;
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
          threadId === null ? null : [t('Thread'), <span className={ui.mono}>{threadId}</span>],
          [t('Sequence'), sequence],
          formId === undefined ? null : [t('Form ID'), <span className={ui.mono}>{formId}</span>],
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
      {channelData && (
        <section aria-label={t('Channel data')}>
          <Text fw={600} mb="xs">
            {t('Channel data')}
          </Text>
          {/* Written by strangers: plain text, and no links. */}
          <DescriptionList
            rows={channelDataRows(channelData).map(({ label, value }) => [
              label,
              <span className={atoms.lines} dir="auto">
                {value}
              </span>,
            ])}
          />
        </section>
      )}
      <JsonView value={message} />
      <AsCurl call={{ method: 'GET', path: `/messages/${id}` }} />
    </Stack>
  );
}
