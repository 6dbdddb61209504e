/** Details of one API key, and the buttons to edit, rotate and revoke it. */
import { Stack } from '@mantine/core';
import { formatNumber, t } from '../../copy/text.ts';
import type { ApiKey } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { Chips } from '../../design/Chips.tsx';
import { Accordion } from '../../design/Accordion.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { KeyBudgets } from './KeyBudgets.tsx';
import { KeyCreations } from './KeyCreations.tsx';
import { KeyState } from './KeyState.tsx';
import { KeyUsage } from './KeyUsage.tsx';
import { ScopeSummary } from './ScopeSummary.tsx';
import { ObjectName } from '../../patterns/ObjectName.tsx';

interface KeySheetProps {
  apiKey: ApiKey;
  actions: readonly Action<ApiKey>[];
  /** Disables the objects that a revoked key created. */
  onDisable: () => void;
}

export function KeySheet({ apiKey, actions, onDisable }: KeySheetProps) {
  const write = useCan('api_keys:write');
  const audit = useCan('audit:read');
  const readsBudgets = useCan('providers:read');
  const { workspace } = useWorkspace();
  const rate = apiKey.rate_limit;
  return (
    <Stack>
      <ActionButtons record={apiKey} of={apiKey.name} actions={actions} size="xs" />
      <DescriptionList
        rows={[
          [t('Status'), <KeyState state={apiKey.state} />],
          [t('ID'), <Id id={apiKey.id} />],
          [t('Secret'), <span className={ui.mono}>{`${apiKey.prefix}…${apiKey.last4}`}</span>],
          [t('Permissions'), <ScopeSummary preset={apiKey.preset} scopes={apiKey.scopes} />],
          [t('Expires'), <RelativeTime at={apiKey.expires_at} none={t('Never')} />],
          [t('Allowed IPs'), <Chips items={apiKey.allowed_ips} none={t('Any')} />],
          [t('Allowed origins'), <Chips items={apiKey.allowed_origins} none={t('Servers only')} />],
          [
            t('Allowed models'),
            <Chips
              items={apiKey.allowed_models ?? []}
              none={apiKey.allowed_models === null ? t('All') : t('None')}
            />,
          ],
          readsBudgets ? [t('Budgets'), <KeyBudgets keyId={apiKey.id} />] : null,
          [
            t('Rate limit'),
            rate
              ? t('{limit} requests per minute, bursts of {burst}', {
                  limit: formatNumber(rate.limit),
                  burst: formatNumber(rate.burst),
                })
              : t('Unlimited'),
          ],
          [
            t('Created objects'),
            apiKey.disable_created_on_end ? t('Disabled when this key ends') : t('Kept when this key ends'),
          ],
          [t('Last used'), <RelativeTime at={apiKey.last_used_at} none={t('Never')} />],
          apiKey.last_used_at
            ? [t('Last operation'), <span className={ui.mono}>{apiKey.last_used_operation ?? '–'}</span>]
            : null,
          apiKey.last_used_at
            ? [t('IP address'), <span className={ui.mono}>{apiKey.last_used_ip ?? '–'}</span>]
            : null,
          [
            t('Metadata'),
            <Chips
              items={Object.entries(apiKey.metadata).map(([name, value]) => `${name}: ${value}`)}
              none={t('None')}
            />,
          ],
          [t('Created'), <RelativeTime at={apiKey.created_at} />],
          apiKey.created_by ? [t('Created by'), <ObjectName id={apiKey.created_by} />] : null,
          apiKey.revoked_at ? [t('Revoked'), <RelativeTime at={apiKey.revoked_at} />] : null,
        ]}
      />
      <KeyUsage apiKey={apiKey} />
      <Accordion title={t('Created objects')} note={t('Webhooks, rules and more')}>
        <KeyCreations apiKey={apiKey} {...(write && { onDisable })} />
      </Accordion>
      {audit && (
        <TextLink
          to="/w/$workspace/audit-log"
          params={{ workspace: workspace.slug }}
          search={{ target: apiKey.id }}
        >
          {t('View audit log')}
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/api-keys/${apiKey.id}` }} />
    </Stack>
  );
}
