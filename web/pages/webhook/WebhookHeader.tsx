/** Which webhook it is, and what can be done with it. */
import { Button, Group } from '@mantine/core';
import { IconHistory, IconPencil } from '@tabler/icons-react';
import type { Webhook } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextLink } from '../../ui/links.tsx';
import { MiddleCut } from '../../ui/MiddleCut.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { InspectorLink } from './InspectorLink.tsx';
import { SendTest } from './SendTest.tsx';
import classes from './webhook.module.css';

export type WebhookAction = 'edit' | 'replay' | 'rotate' | 'delete';

interface WebhookHeaderProps {
  webhook: Webhook;
  onAction: (action: WebhookAction) => void;
  onSwitch: (enabled: boolean) => void;
}

export function WebhookHeader({ webhook, onAction, onSwitch }: WebhookHeaderProps) {
  const { workspace } = useWorkspace();
  const write = useCan('webhooks:write');
  return (
    <>
      <TextLink to="/w/$workspace/webhooks" params={{ workspace: workspace.slug }} className={classes.back}>
        Webhooks
      </TextLink>
      <PageHeader
        title={new URL(webhook.url).host}
        description={
          <span className={classes.address}>
            <MiddleCut text={webhook.url} />
            <CopyButton text={webhook.url} label="Copy the url" />
            <InspectorLink url={webhook.url} />
          </span>
        }
      >
        {write && (
          <Group gap="xs">
            <SendTest webhook={webhook} />
            <Button
              variant="default"
              leftSection={<IconHistory size={16} />}
              disabled={!webhook.enabled}
              onClick={() => onAction('replay')}
            >
              Replay
            </Button>
            <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => onAction('edit')}>
              Change
            </Button>
            <RowMenu
              of="the webhook"
              actions={[
                { label: 'Rotate secret', onClick: () => onAction('rotate') },
                {
                  label: webhook.enabled ? 'Disable' : 'Enable',
                  onClick: () => onSwitch(!webhook.enabled),
                },
                { label: 'Delete', danger: true, onClick: () => onAction('delete') },
              ]}
            />
          </Group>
        )}
      </PageHeader>
    </>
  );
}
