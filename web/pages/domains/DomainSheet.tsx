/** One domain: its record, what was found of it, where it leads without a slug, and what can be done with it. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconPencil, IconRefresh } from '@tabler/icons-react';
import { deleteDomain, verifyDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type DescriptionItem, DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { TextLink } from '../../ui/links.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { STATES } from './domain-text.ts';
import { DomainDialog } from './DomainDialog.tsx';
import classes from './domains.module.css';

export type DomainAction = 'edit' | 'delete';

interface DomainSheetProps {
  domain: Domain;
  /** The dialog that is open. */
  action: DomainAction | null;
  onAction: (action: DomainAction | null) => void;
  /** Something was changed. @param isGone there is no such domain any more */
  onDone: (isGone: boolean) => void;
}

export function DomainSheet({ domain, action, onAction, onDone }: DomainSheetProps) {
  const { workspace } = useWorkspace();
  const writes = useCan('domains:write');
  const { id, host, state, metadata } = domain;
  return (
    <Stack>
      {writes && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} />}
            onClick={() => onAction('edit')}
          >
            Change
          </Button>
          <Button size="xs" variant="default" color="red" onClick={() => onAction('delete')}>
            Delete
          </Button>
        </Group>
      )}
      <Record domain={domain} onDone={() => onDone(false)} />
      <DescriptionList
        rows={[
          ['Id', <Id id={id} />],
          ['Without slug', <Address url={domain.root_url} />],
          ['Unknown slug', <Address url={domain.not_found_url} />],
          state === 'verified' ? ['Verified', <RelativeTime at={domain.verified_at} />] : null,
          ['Added', <RelativeTime at={domain.created_at} />],
          ...(domain.created_by === null
            ? []
            : [['By', <Id id={domain.created_by} short />] satisfies DescriptionItem]),
        ]}
      />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      {state === 'verified' && (
        <TextLink to="/w/$workspace/links" params={{ workspace: workspace.slug }} search={{ domain: host }}>
          Links on it
        </TextLink>
      )}
      <AsCurl call={{ method: 'GET', path: `/domains/${id}` }} />
      <DomainDialog
        opened={action === 'edit'}
        domain={domain}
        onClose={() => onAction(null)}
        onDone={() => onDone(false)}
      />
      <ConfirmDialog
        opened={action === 'delete'}
        title={`Delete ${host}?`}
        confirm="Delete domain"
        call={{ method: 'DELETE', path: `/domains/${id}` }}
        action={() => deleteDomain(workspace.id, id)}
        onDone={() => onDone(true)}
        onClose={() => onAction(null)}
      >
        <Text>
          Nothing on it leads anywhere from then on, and another workspace may verify the host. It is refused
          while links are on it: delete those, or move them to another domain, first.
        </Text>
      </ConfirmDialog>
    </Stack>
  );
}

const Address = ({ url }: { url: string | null }) =>
  url === null ? (
    <Text c="dimmed">a page that says that nothing is there</Text>
  ) : (
    <span className={`${ui.mono} ${classes.breaks}`}>{url}</span>
  );

/** The TXT record, and what came of looking for it. */
function Record({ domain, onDone }: { domain: Domain; onDone: () => void }) {
  const { workspace } = useWorkspace();
  const writes = useCan('domains:write');
  const { id, state, verification, last_error: fault } = domain;
  const said = STATES[state];
  const verifying = useMutation({ mutationFn: () => verifyDomain(workspace.id, id), onSuccess: onDone });
  return (
    <Stack gap="sm">
      <div role="status">
        <StateDot tone={said.tone}>{said.word}</StateDot>
        <Text size="xs" c="dimmed" mt={2}>
          {said.advice}
        </Text>
      </div>
      {state !== 'verified' && (
        <>
          <div className={classes.record}>
            <Text size="xs" c="dimmed">
              Type
            </Text>
            <span className={ui.mono}>{verification.type}</span>
            <Text size="xs" c="dimmed">
              Name
            </Text>
            <CodeBlock text={verification.name} label="Copy the name" wrap />
            <Text size="xs" c="dimmed">
              Value
            </Text>
            <CodeBlock text={verification.value} label="Copy the value" wrap />
          </div>
          {fault && (
            <Alert color="gray" variant="light" className={ui.notice}>
              <Text fw={600}>What was found</Text>
              <Text className={classes.breaks}>{fault.detail}</Text>
              <Text size="xs" c="dimmed" mt={4}>
                Looked for <RelativeTime at={domain.checked_at} />
                {domain.next_check_at !== null && (
                  <>
                    , and again <RelativeTime at={domain.next_check_at} />
                  </>
                )}
                .
              </Text>
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
                  Look for it now
                </Button>
              </Group>
              <AsCurl call={{ method: 'POST', path: `/domains/${id}/verify` }} />
            </>
          )}
        </>
      )}
    </Stack>
  );
}
