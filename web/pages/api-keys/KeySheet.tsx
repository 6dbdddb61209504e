/** Everything about one key, and what can be done with it. */
import { Button, Group, Stack } from '@mantine/core';
import { IconBan, IconPencil, IconRefresh } from '@tabler/icons-react';
import type { ApiKey } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { Accordion } from '../../ui/Accordion.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { TextLink } from '../../ui/links.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { KeyCreations } from './KeyCreations.tsx';
import { KeyState } from './KeyState.tsx';
import { ScopeSummary } from './ScopeSummary.tsx';

interface KeySheetProps {
  apiKey: ApiKey;
  onAction: (action: 'edit' | 'rotate' | 'revoke') => void;
}

export function KeySheet({ apiKey, onAction }: KeySheetProps) {
  const write = useCan('api_keys:write');
  const audit = useCan('audit:read');
  const { workspace } = useWorkspace();
  const rate = apiKey.rate_limit;
  return (
    <Stack>
      {write && apiKey.state !== 'revoked' && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} />}
            onClick={() => onAction('edit')}
          >
            Change
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={() => onAction('rotate')}
          >
            Rotate
          </Button>
          <Button
            size="xs"
            variant="light"
            color="red"
            leftSection={<IconBan size={14} />}
            onClick={() => onAction('revoke')}
          >
            Revoke
          </Button>
        </Group>
      )}
      <DescriptionList
        rows={[
          ['State', <KeyState state={apiKey.state} />],
          ['Id', <Id id={apiKey.id} />],
          ['Secret', <span className={ui.mono}>{`${apiKey.prefix}…${apiKey.last4}`}</span>],
          ['May do', <ScopeSummary preset={apiKey.preset} scopes={apiKey.scopes} />],
          ['Expires', <RelativeTime at={apiKey.expires_at} none="never" />],
          ['Addresses', <Chips items={apiKey.allowed_ips} none="any" />],
          ['Origins', <Chips items={apiKey.allowed_origins} none="servers only" />],
          ['Rate', rate ? `${rate.limit} a minute, ${rate.burst} at once` : 'not limited'],
          [
            'When it ends',
            apiKey.disable_created_on_end ? 'what it created is disabled' : 'what it created stays',
          ],
          ['Last call', <RelativeTime at={apiKey.last_used_at} none="never used" />],
          apiKey.last_used_at
            ? ['Operation', <span className={ui.mono}>{apiKey.last_used_operation ?? '–'}</span>]
            : null,
          apiKey.last_used_at
            ? ['From', <span className={ui.mono}>{apiKey.last_used_ip ?? '–'}</span>]
            : null,
          ['Created', <RelativeTime at={apiKey.created_at} />],
          apiKey.created_by ? ['By', <Id id={apiKey.created_by} short />] : null,
          apiKey.revoked_at ? ['Revoked', <RelativeTime at={apiKey.revoked_at} />] : null,
        ]}
      />
      <Accordion title="Created objects" note="webhooks, rules and the like">
        <KeyCreations apiKey={apiKey} {...(write && { onDisable: () => onAction('revoke') })} />
      </Accordion>
      {audit && (
        <TextLink
          to="/w/$workspace/audit-log"
          params={{ workspace: workspace.slug }}
          search={{ target: apiKey.id }}
        >
          What was done to this key
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/api-keys/${apiKey.id}` }} />
    </Stack>
  );
}
