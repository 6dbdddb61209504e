/** How senders reach an endpoint and prove themselves, with the command that posts as one of them. */
import { Button, Group, Stack, Title } from '@mantine/core';
import { lazy, useState } from 'react';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan } from '../../shell/workspace-context.ts';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { authWord } from '../publishing/publishing-text.ts';
import classes from './endpoint.module.css';
import { FirstRequest } from './FirstRequest.tsx';

const SignatureDialog = lazy(async () => ({
  default: (await import('./SignatureDialog.tsx')).SignatureDialog,
}));

interface EndpointSettingsProps {
  endpoint: PublishingEndpoint;
  version: string | null;
  payload: unknown;
  onRotate: () => void;
}

export function EndpointSettings({ endpoint, version, payload, onRotate }: EndpointSettingsProps) {
  const write = useCan('publishing:write');
  const [changing, setChanging] = useState(false);
  const { auth } = endpoint;
  const { hmac } = auth;
  return (
    <div className={classes.settings}>
      <Stack gap="md">
        <Title order={2}>Senders</Title>
        <DescriptionList
          rows={[
            ['Proved by', authWord(auth)],
            [
              'Address',
              endpoint.url === null ? (
                <span>
                  secret, ends with <span className={ui.mono}>{auth.url_last4}</span>
                </span>
              ) : (
                <Id id={endpoint.url} of="address" />
              ),
            ],
            hmac ? ['Header', <span className={ui.mono}>{`${hmac.header}: ${hmac.prefix}…`}</span>] : null,
            hmac ? ['Algorithm', `HMAC-${hmac.algorithm}, ${hmac.encoding}`] : null,
            hmac ? ['Signed', <span className={ui.mono}>{hmac.signed}</span>] : null,
            hmac?.timestamp_header
              ? ['Time in', <span className={ui.mono}>{hmac.timestamp_header}</span>]
              : null,
            auth.tolerance_seconds === null ? null : ['Tolerance', `${auth.tolerance_seconds} seconds`],
            auth.previous_expires_at === null
              ? null
              : [
                  'The one before',
                  <span>
                    counts until <RelativeTime at={auth.previous_expires_at} />
                  </span>,
                ],
            ['Endpoint', <Id id={endpoint.id} />],
            ['Revision', String(endpoint.revision)],
            ['Created', <RelativeTime at={endpoint.created_at} />],
            ['Changed', <RelativeTime at={endpoint.updated_at} />],
          ]}
        />
        {write && auth.type !== 'bearer' && (
          <Group gap="xs">
            <Button variant="default" onClick={onRotate}>
              {auth.type === 'secret_url' ? 'Rotate address' : 'Rotate secret'}
            </Button>
            {auth.type === 'signature' && (
              <Button variant="default" onClick={() => setChanging(true)}>
                Change how signatures are read
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <Stack gap="md">
        <Title order={2}>Post to it</Title>
        <FirstRequest endpoint={endpoint} secret={null} payload={payload} />
      </Stack>
      <OnceOpened opened={changing}>
        <SignatureDialog
          endpoint={endpoint}
          version={version}
          opened={changing}
          onClose={() => setChanging(false)}
        />
      </OnceOpened>
    </div>
  );
}
