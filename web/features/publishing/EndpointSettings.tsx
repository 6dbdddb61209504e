/** The URL and authentication of an endpoint, with a command that posts a request. */
import { Button, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { plural, rich, t } from '../../copy/text.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { authLabel } from './publishing-text.ts';
import classes from './endpoint-settings.module.css';
import { FirstRequest } from './FirstRequest.tsx';

const SignatureDialog = lazyDialog(() => import('./SignatureDialog.tsx'), 'SignatureDialog');

interface EndpointSettingsProps {
  endpoint: PublishingEndpoint;
  payload: unknown;
  onRotate: () => void;
}

export function EndpointSettings({ endpoint, payload, onRotate }: EndpointSettingsProps) {
  const write = useCan('publishing:write');
  const [changing, setChanging] = useState(false);
  const { auth } = endpoint;
  const { hmac } = auth;
  return (
    <div className={classes.settings}>
      <Stack gap="md">
        <Title order={2}>{t('Senders')}</Title>
        <DescriptionList
          rows={[
            [t('Authentication'), authLabel(auth)],
            [
              t('URL'),
              endpoint.url === null ? (
                <span>
                  {rich(
                    'Secret, ends in <last4>{last4}</last4>',
                    { last4: (words) => <span className={ui.mono}>{words}</span> },
                    { last4: auth.url_last4 ?? '' },
                  )}
                </span>
              ) : (
                <Id id={endpoint.url} of={t('URL')} />
              ),
            ],
            hmac ? [t('Header'), <span className={ui.mono}>{`${hmac.header}: ${hmac.prefix}…`}</span>] : null,
            hmac ? [t('Algorithm'), `HMAC-${hmac.algorithm}, ${hmac.encoding}`] : null,
            hmac ? [t('Signed content'), <span className={ui.mono}>{hmac.signed}</span>] : null,
            hmac?.timestamp_header
              ? [t('Timestamp header'), <span className={ui.mono}>{hmac.timestamp_header}</span>]
              : null,
            auth.tolerance_seconds === null
              ? null
              : [
                  t('Tolerance'),
                  plural(auth.tolerance_seconds, { one: '{count} second', other: '{count} seconds' }),
                ],
            auth.previous_expires_at === null
              ? null
              : [
                  auth.type === 'secret_url' ? t('Previous URL') : t('Previous secret'),
                  <span>
                    {rich('Valid until <time>then</time>', {
                      time: () => <RelativeTime at={auth.previous_expires_at} />,
                    })}
                  </span>,
                ],
            [t('Endpoint'), <Id id={endpoint.id} />],
            [t('Revision'), String(endpoint.revision)],
            [t('Created'), exactTime(endpoint.created_at)],
            [t('Updated'), exactTime(endpoint.updated_at)],
          ]}
        />
        {write && auth.type !== 'bearer' && (
          <Group gap="xs">
            <Button variant="default" onClick={onRotate}>
              {auth.type === 'secret_url' ? t('Rotate URL') : t('Rotate secret')}
            </Button>
            {auth.type === 'signature' && (
              <Button variant="default" onClick={() => setChanging(true)}>
                {t('Edit signature settings')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
      <Stack gap="md">
        <Title order={2}>{t('Send a request')}</Title>
        <FirstRequest endpoint={endpoint} secret={null} payload={payload} />
      </Stack>
      <SignatureDialog endpoint={endpoint} opened={changing} onClose={() => setChanging(false)} />
    </div>
  );
}
