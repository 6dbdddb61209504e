/** Shows the settings of an instance. Credentials can't be read. */
import { Stack, Title } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { plural, t } from '../../copy/text.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { Chips } from '../../design/Chips.tsx';
import { type DescriptionItem, DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { exactTime } from '../../design/time.ts';
import { stateLabel } from './instance-text.ts';
import { ObjectName } from '../../patterns/ObjectName.tsx';

const RESEND = {
  deduplicated: t('Resend; the channel removes duplicates'),
  lookup: t('Look up on the channel and resend if missing'),
  never: t('Fail as delivery_unknown'),
};

interface InstanceDetailsProps {
  instance: Instance;
  channel: Channel | undefined;
}

export function InstanceDetails({ instance, channel }: InstanceDetailsProps) {
  const { workspace } = useWorkspace();
  const audit = useCan('audit:read');
  const { metadata } = instance;
  const resend = instance.resend_unknown
    ? t('Sent again, which can create duplicates')
    : channel && RESEND[channel.resend];
  const rows: DescriptionItem[] = [
    [t('ID'), <Id id={instance.id} />],
    [t('Channel'), channel?.title ?? instance.channel],
    [t('Address'), <span className={atoms.breaks}>{instance.address ?? t('Not known yet')}</span>],
    instance.profile_name === null
      ? null
      : [t('Profile name'), <span className={atoms.breaks}>{instance.profile_name}</span>],
    instance.ingress_url === null
      ? null
      : [t('Callback URL'), <Id id={instance.ingress_url} of={t('callback URL')} />],
    [t('Desired state'), stateLabel(instance.desired_state)],
    [t('Queue timeout'), duration(instance.queue_ttl_seconds)],
    resend === undefined ? null : [t('Interrupted sends'), resend],
    [
      t('Metadata'),
      <Chips items={Object.entries(metadata).map(([name, value]) => `${name}: ${value}`)} none={t('None')} />,
    ],
    [t('Created'), exactTime(instance.created_at)],
    [t('Updated'), exactTime(instance.updated_at)],
    [t('Created by'), <ObjectName id={instance.created_by} />],
  ];
  return (
    <Stack maw={760}>
      <DescriptionList rows={rows} />
      {Object.keys(instance.settings).length > 0 && (
        <>
          <Title order={2} mt="sm">
            {t('Channel settings')}
          </Title>
          <JsonView value={instance.settings} />
        </>
      )}
      {audit && (
        <TextLink
          to="/w/$workspace/audit-log"
          params={{ workspace: workspace.slug }}
          search={{ target: instance.id }}
        >
          {t('View audit log')}
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/instances/${instance.id}` }} />
    </Stack>
  );
}

/** 86400 → "1 day", in the largest unit that divides it. */
function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return plural(seconds / 86_400, { one: '{count} day', other: '{count} days' });
  if (seconds % 3600 === 0) return plural(seconds / 3600, { one: '{count} hour', other: '{count} hours' });
  if (seconds % 60 === 0) return plural(seconds / 60, { one: '{count} minute', other: '{count} minutes' });
  return plural(seconds, { one: '{count} second', other: '{count} seconds' });
}
