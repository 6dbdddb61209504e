/** All that is kept of one click. */
import { Stack, Text } from '@mantine/core';
import type { Click } from '../../api/analytics.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { exactTime } from '../../ui/time.ts';
import { valueName, WORDS } from '../analytics/dimensions.ts';
import { UTM_NAMES } from '../links/final-url.ts';
import { placeOf } from './click-columns.tsx';

const DIMENSIONS = ['language', 'device', 'os', 'browser', 'referrer'] as const;

const Value = ({ children }: { children: string | null }) =>
  children === null ? <Text c="dimmed">not known</Text> : <bdi>{children}</bdi>;

export function ClickSheet({ click }: { click: Click }) {
  return (
    <Stack>
      <DescriptionList
        rows={[
          ['Id', <Id id={click.id} />],
          [
            'When',
            <>
              <RelativeTime at={click.created_at} /> <Text c="dimmed">{exactTime(click.created_at)}</Text>
            </>,
          ],
          ['Who', click.bot ? 'a bot or preview fetcher' : 'a person'],
          ['Visitor', <Id id={click.visitor} of="visitor" />],
          click.address === null ? null : ['Address', <Id id={click.address} of="address" />],
          ['Where', <Value>{placeOf(click)}</Value>],
          ...DIMENSIONS.map((name): [string, React.ReactNode] => [
            WORDS[name].one,
            <Value key={name}>{click[name] === null ? null : valueName(name, click[name])}</Value>,
          ]),
          ...UTM_NAMES.map((name): [string, React.ReactNode] | null =>
            click.utm[name] === null ? null : [`utm_${name}`, <Value key={name}>{click.utm[name]}</Value>],
          ),
          click.message_id === null ? null : ['Message', <Id id={click.message_id} short />],
          click.contact_id === null ? null : ['Contact', <Id id={click.contact_id} short />],
        ]}
      />
      <Text size="xs" c="dimmed">
        The visitor is the same for all clicks of one on a UTC day, and tells nothing over days.
      </Text>
      <JsonView value={click} />
      <AsCurl call={{ method: 'GET', path: `/links/${click.link_id}/clicks` }} />
    </Stack>
  );
}
