/** Details of one click. */
import { Stack, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Click } from '../../api/analytics.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import { valueName, DIMENSION_TEXTS } from '../analytics/dimensions.ts';
import { UTM_NAMES } from './final-url.ts';
import { getPlace } from './click-columns.tsx';

const DIMENSIONS = ['language', 'device', 'os', 'browser', 'referrer'] as const;

export function ClickSheet({ click }: { click: Click }) {
  return (
    <Stack>
      <DescriptionList
        rows={[
          [t('ID'), <Id id={click.id} />],
          [
            t('Time'),
            <>
              <RelativeTime at={click.created_at} /> <Text c="dimmed">{exactTime(click.created_at)}</Text>
            </>,
          ],
          [t('Type'), click.bot ? t('Bot or link preview') : t('Person')],
          [t('Visitor'), <Id id={click.visitor} of={t('visitor')} />],
          click.address === null ? null : [t('IP address'), <Id id={click.address} of={t('IP address')} />],
          click.destination_url === null
            ? null
            : [DIMENSION_TEXTS.destination_url.one, <bdi>{click.destination_url}</bdi>],
          [t('Location'), <bdi>{getPlace(click) ?? t('Unknown')}</bdi>],
          ...DIMENSIONS.map((name): [string, React.ReactNode] => [
            DIMENSION_TEXTS[name].one,
            valueName(name, click[name]),
          ]),
          ...UTM_NAMES.map((name): [string, React.ReactNode] | null =>
            click.utm[name] === null
              ? null
              : [DIMENSION_TEXTS[`utm_${name}`].one, <bdi key={name}>{click.utm[name]}</bdi>],
          ),
          click.message_id === null ? null : [t('Message'), <Id id={click.message_id} short />],
          click.contact_id === null ? null : [t('Contact'), <Id id={click.contact_id} short />],
        ]}
      />
      <Text size="xs" c="dimmed">
        {t('All clicks by one visitor on the same UTC day share a visitor ID.')}
      </Text>
      <JsonView value={click} />
      <AsCurl call={{ method: 'GET', path: `/links/${click.link_id}/clicks/${click.id}` }} />
    </Stack>
  );
}
