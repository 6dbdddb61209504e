/** The settings of a webhook. */
import { Stack, Title } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { formatNumber, plural, rich, t } from '../../copy/text.ts';
import type { Webhook } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { Chips } from '../../design/Chips.tsx';
import { type DescriptionItem, DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { VerifySnippet } from './VerifySnippet.tsx';
import { ObjectName } from '../../patterns/ObjectName.tsx';

export function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { workspace } = useWorkspace();
  const audit = useCan('audit:read');
  const { filters, rate_limit: rate } = webhook;
  const filtered = Object.entries(filters).flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  const rows: DescriptionItem[] = [
    ['URL', <span className={`${ui.mono} ${atoms.breaks}`}>{webhook.url}</span>],
    webhook.description
      ? [t('Description'), <span className={atoms.breaks}>{webhook.description}</span>]
      : null,
    [t('ID'), <Id id={webhook.id} />],
    [t('Events'), <Chips items={webhook.events} none={t('None')} />],
    [t('Filters'), <Chips items={filtered} none={t('None')} />],
    [t('Headers'), <Chips items={Object.keys(webhook.headers)} none={t('None')} />],
    [
      t('Rate limit'),
      rate
        ? t('{limit} per minute, burst {burst}', {
            limit: formatNumber(rate.limit),
            burst: formatNumber(rate.burst),
          })
        : t('Unlimited'),
    ],
    [
      t('Concurrency'),
      plural(webhook.concurrency, {
        one: '{count} delivery at a time',
        other: '{count} deliveries at a time',
      }),
    ],
    [t('Order'), webhook.ordering === 'per_resource' ? t('In order per object') : t('As fast as possible')],
    webhook.previous_secret_expires_at
      ? [
          t('Previous secret'),
          <span>
            {rich('Valid until <time>then</time>', {
              time: () => <RelativeTime at={webhook.previous_secret_expires_at} />,
            })}
          </span>,
        ]
      : null,
    [
      t('Metadata'),
      <Chips
        items={Object.entries(webhook.metadata).map(([name, value]) => `${name}: ${value}`)}
        none={t('None')}
      />,
    ],
    [t('Created'), exactTime(webhook.created_at)],
    [t('Created by'), <ObjectName id={webhook.created_by} />],
  ];
  return (
    <Stack maw={760}>
      <DescriptionList rows={rows} />
      <Title order={2} mt="sm">
        {t('Verify deliveries')}
      </Title>
      <VerifySnippet />
      {audit && (
        <TextLink
          to="/w/$workspace/audit-log"
          params={{ workspace: workspace.slug }}
          search={{ target: webhook.id }}
        >
          {t('View audit log')}
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/webhooks/${webhook.id}` }} />
    </Stack>
  );
}
