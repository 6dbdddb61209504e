/** Which endpoint it is, where senders post to, and what can be done with it. */
import { Group, Switch } from '@mantine/core';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { MiddleCut } from '../../ui/MiddleCut.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { TextLink } from '../../ui/links.tsx';
import ui from '../../ui/ui.module.css';
import { authWord } from '../publishing/publishing-text.ts';
import classes from './endpoint.module.css';

export type EndpointAction = 'rename' | 'rotate' | 'delete';

interface EndpointHeaderProps {
  endpoint: PublishingEndpoint;
  onAction: (action: EndpointAction) => void;
  onSwitch: (enabled: boolean) => void;
}

export function EndpointHeader({ endpoint, onAction, onSwitch }: EndpointHeaderProps) {
  const { workspace } = useWorkspace();
  const write = useCan('publishing:write');
  const { auth, url, received, last_received_at: last } = endpoint;
  return (
    <>
      <TextLink to="/w/$workspace/publishing" params={{ workspace: workspace.slug }} className={classes.back}>
        Publishing
      </TextLink>
      <PageHeader
        title={endpoint.name}
        description={
          <span className={classes.about}>
            <span>{authWord(auth)}</span>
            {url === null ? (
              <span className={ui.mono}>…{auth.url_last4}</span>
            ) : (
              <span className={classes.address}>
                <MiddleCut text={url} />
                <CopyButton text={url} label="Copy the address" />
              </span>
            )}
            <span>
              {received === 0 ? (
                'nothing received yet'
              ) : (
                <>
                  {received.toLocaleString('en')} received, the last <RelativeTime at={last} />
                </>
              )}
            </span>
          </span>
        }
      >
        {write && (
          <Group gap="sm">
            <Switch
              size="sm"
              label="Enabled"
              checked={endpoint.enabled}
              onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
            />
            <RowMenu
              of="the endpoint"
              actions={[
                { label: 'Rename', onClick: () => onAction('rename') },
                ...(auth.type === 'bearer'
                  ? []
                  : [
                      {
                        label: auth.type === 'secret_url' ? 'Rotate address' : 'Rotate secret',
                        onClick: () => onAction('rotate'),
                      },
                    ]),
                { label: 'Delete', danger: true, onClick: () => onAction('delete') },
              ]}
            />
          </Group>
        )}
      </PageHeader>
    </>
  );
}
