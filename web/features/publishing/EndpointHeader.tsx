/** The header of the endpoint page: its URL, statistics, and actions. */
import { Group, Switch } from '@mantine/core';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import { plural, rich, t } from '../../copy/text.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { authLabel } from './publishing-text.ts';
import classes from './endpoint-header.module.css';

// Its text is not needed to work with the endpoint.
const Health = lazily(() => import('./Health.tsx'), 'Health');
const LastInvalid = lazily(() => import('./LastInvalid.tsx'), 'LastInvalid');

export const BACK = { label: t('Publishing'), to: '/w/$workspace/publishing' } as const;

interface EndpointHeaderProps {
  endpoint: PublishingEndpoint;
  actions: readonly Action<PublishingEndpoint>[];
  onSwitch: (enabled: boolean) => void;
}

export function EndpointHeader({ endpoint, actions, onSwitch }: EndpointHeaderProps) {
  const write = useCan('publishing:write');
  const { auth, url, received, last_received_at: last } = endpoint;
  return (
    <>
      <DetailHeader
        back={BACK}
        title={endpoint.name}
        description={
          <span className={ui.facts}>
            <span>{authLabel(auth)}</span>
            {url === null ? (
              <span className={ui.mono}>…{auth.url_last4}</span>
            ) : (
              <span className={classes.address}>
                <MiddleCut text={url} />
                <CopyButton text={url} label={t('Copy URL')} />
              </span>
            )}
            <span>
              {received === 0 ? (
                t('No requests yet')
              ) : (
                <>
                  {plural(received, { one: '{count} request', other: '{count} requests' })} ·{' '}
                  {rich('Last received <time>then</time>', { time: () => <RelativeTime at={last} /> })}
                </>
              )}
            </span>
            <Suspense>
              {endpoint.last_invalid_request && (
                <LastInvalid count={endpoint.invalid_requests} last={endpoint.last_invalid_request} />
              )}
              <Health endpoint={endpoint} />
            </Suspense>
          </span>
        }
      >
        {write && (
          <Group gap="sm">
            <Switch
              size="sm"
              label={t('Enabled')}
              checked={endpoint.enabled}
              onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
            />
            <ActionButtons record={endpoint} of={endpoint.name} actions={actions} />
          </Group>
        )}
      </DetailHeader>
    </>
  );
}
