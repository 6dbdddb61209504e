/** How a webhook is set. */
import { Stack, Title } from '@mantine/core';
import type { Webhook } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { type DescriptionItem, DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { TextLink } from '../../ui/links.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { VerifySnippet } from '../webhooks/VerifySnippet.tsx';
import classes from './webhook.module.css';

export function WebhookDetails({ webhook }: { webhook: Webhook }) {
  const { workspace } = useWorkspace();
  const audit = useCan('audit:read');
  const { filters, rate_limit: rate } = webhook;
  const filtered = Object.entries(filters).flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  const rows: DescriptionItem[] = [
    ['URL', <span className={`${ui.mono} ${classes.breaks}`}>{webhook.url}</span>],
    webhook.description
      ? ['Description', <span className={classes.breaks}>{webhook.description}</span>]
      : null,
    ['Id', <Id id={webhook.id} />],
    ['Events', <Chips items={webhook.events} none="none" />],
    ['Filters', <Chips items={filtered} none="none: whatever the events are about" />],
    ['Headers', <Chips items={Object.keys(webhook.headers)} none="none besides the usual" />],
    ['Rate', rate ? `${rate.limit} a minute, ${rate.burst} at once` : 'not limited'],
    ['At once', `${webhook.concurrency} deliveries`],
    ['Order', webhook.ordering === 'per_resource' ? 'in order for each object' : 'as fast as it goes'],
    webhook.previous_secret_expires_at
      ? [
          'Old secret',
          <span>
            signs too, until <RelativeTime at={webhook.previous_secret_expires_at} />
          </span>,
        ]
      : null,
    ['Created', <RelativeTime at={webhook.created_at} />],
    ['By', <Id id={webhook.created_by} short />],
  ];
  return (
    <Stack maw={760}>
      <DescriptionList rows={rows} />
      <Title order={2} mt="sm">
        Verify deliveries
      </Title>
      <VerifySnippet />
      {audit && (
        <TextLink
          to="/w/$workspace/audit-log"
          params={{ workspace: workspace.slug }}
          search={{ target: webhook.id }}
        >
          What was done to this webhook
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/webhooks/${webhook.id}` }} />
    </Stack>
  );
}
