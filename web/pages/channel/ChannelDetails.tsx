/** How an account is set. Credentials can't be read by anybody. */
import { Stack, Title } from '@mantine/core';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { type DescriptionItem, DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { TextLink } from '../../ui/links.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import classes from './channel.module.css';

const RESEND = {
  deduplicated: 'sent again under the same id, once in effect',
  lookup: 'the channel is asked first',
  never: 'fails as delivery_unknown',
};

interface ChannelFactsProps {
  instance: Instance;
  channel: Channel | undefined;
}

export function ChannelDetails({ instance, channel }: ChannelFactsProps) {
  const { workspace } = useWorkspace();
  const audit = useCan('audit:read');
  const { metadata } = instance;
  const resend = instance.resend_unknown ? 'sent again, perhaps twice' : channel && RESEND[channel.resend];
  const rows: DescriptionItem[] = [
    ['Id', <Id id={instance.id} />],
    ['Channel', channel?.title ?? instance.channel],
    ['Address', <span className={classes.breaks}>{instance.address ?? 'not known yet'}</span>],
    instance.profile_name === null
      ? null
      : ['Profile', <span className={classes.breaks}>{instance.profile_name}</span>],
    ['Wanted', instance.desired_state],
    ['Waits at most', duration(instance.queue_ttl_seconds)],
    resend === undefined ? null : ['After a crash', resend],
    [
      'Metadata',
      <Chips items={Object.entries(metadata).map(([name, value]) => `${name}: ${value}`)} none="none" />,
    ],
    ['Created', <RelativeTime at={instance.created_at} />],
    ['Changed', <RelativeTime at={instance.updated_at} />],
    ['By', <Id id={instance.created_by} short />],
  ];
  return (
    <Stack maw={760}>
      <DescriptionList rows={rows} />
      <Title order={2} mt="sm">
        Settings
      </Title>
      <JsonView value={instance.settings} />
      {audit && (
        <TextLink
          to="/w/$workspace/audit-log"
          params={{ workspace: workspace.slug }}
          search={{ target: instance.id }}
        >
          What was done to this channel
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/instances/${instance.id}` }} />
    </Stack>
  );
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** 86400 → "1 day", in the largest unit that it is whole in. */
function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([whole]) => seconds % whole === 0) ?? UNITS[3];
  const number = seconds / size;
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
