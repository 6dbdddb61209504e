/** Details of one domain, with its DNS record, the result of the last check and its actions. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconRefresh } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { verifyDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { type DescriptionItem, DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { STATES } from './domain-text.ts';
import classes from './domains.module.css';
import { ObjectName } from '../../patterns/ObjectName.tsx';

interface DomainSheetProps {
  domain: Domain;
  actions: readonly Action<Domain>[];
  /** Called after a verification, which may have changed the domain. */
  onChange: () => void;
}

export function DomainSheet({ domain, actions, onChange }: DomainSheetProps) {
  const { workspace } = useWorkspace();
  const writes = useCan('domains:write');
  const { id, host, state, metadata } = domain;
  return (
    <Stack>
      <ActionButtons record={domain} of={host} actions={actions} size="xs" />
      <Record domain={domain} onDone={onChange} />
      <DescriptionList
        rows={[
          [t('ID'), <Id id={id} />],
          [t('Root URL'), <Address url={domain.root_url} />],
          [t('Not found URL'), <Address url={domain.not_found_url} />],
          state === 'verified' ? [t('Verified'), <RelativeTime at={domain.verified_at} />] : null,
          [t('Created'), <RelativeTime at={domain.created_at} />],
          ...(domain.created_by === null
            ? []
            : [[t('Created by'), <ObjectName id={domain.created_by} />] satisfies DescriptionItem]),
        ]}
      />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      {state === 'verified' && (
        <TextLink to="/w/$workspace/links" params={{ workspace: workspace.slug }} search={{ domain: host }}>
          {t('View links')}
        </TextLink>
      )}
      <AsCurl
        call={[
          { method: 'GET', path: `/domains/${id}` },
          ...(state !== 'verified' && writes ? [verifyDomain(id)] : []),
        ]}
      />
    </Stack>
  );
}

const Address = ({ url }: { url: string | null }) =>
  url === null ? (
    <Text c="dimmed">{t('Default not found page')}</Text>
  ) : (
    <span className={`${ui.mono} ${atoms.breaks}`}>{url}</span>
  );

/** The TXT record to set, and the result of the last check. */
function Record({ domain, onDone }: { domain: Domain; onDone: () => void }) {
  const { workspace } = useWorkspace();
  const writes = useCan('domains:write');
  const { id, state, verification, last_error: fault } = domain;
  const text = STATES[state];
  const verifying = useMutation({
    mutationFn: () => send(workspace.id, verifyDomain(id)),
    onSuccess: onDone,
  });
  return (
    <Stack gap="sm">
      <div role="status">
        <Status tone={text.tone}>{text.label}</Status>
        <Text size="xs" c="dimmed" mt={2}>
          {text.advice}
        </Text>
      </div>
      {state !== 'verified' && (
        <>
          <div className={classes.record}>
            <Text size="xs" c="dimmed">
              {t('Type')}
            </Text>
            <span className={ui.mono}>{verification.type}</span>
            <Text size="xs" c="dimmed">
              {t('Name')}
            </Text>
            <CodeBlock text={verification.name} label={t('Copy name')} />
            <Text size="xs" c="dimmed">
              {t('Value')}
            </Text>
            <CodeBlock text={verification.value} label={t('Copy value')} />
          </div>
          {fault && (
            <Alert color="gray" variant="light" className={ui.notice}>
              <Text className={atoms.breaks}>{fault.detail}</Text>
              <Text size="xs" c="dimmed" mt={4}>
                {t('Last checked:')} <RelativeTime at={domain.checked_at} />
              </Text>
              {domain.next_check_at !== null && (
                <Text size="xs" c="dimmed">
                  {t('Next check:')} <RelativeTime at={domain.next_check_at} />
                </Text>
              )}
            </Alert>
          )}
          {verifying.error && <ProblemAlert error={verifying.error} />}
          {writes && (
            <>
              <Group>
                <Button
                  size="xs"
                  leftSection={<IconRefresh size={14} />}
                  loading={verifying.isPending}
                  onClick={() => verifying.mutate()}
                >
                  {t('Verify now')}
                </Button>
              </Group>
            </>
          )}
        </>
      )}
    </Stack>
  );
}
