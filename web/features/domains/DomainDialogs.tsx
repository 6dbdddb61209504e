/** The dialogs of one domain. */
import { Text } from '@mantine/core';
import { deleteDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import type { DomainAction } from './domain-actions.ts';
import { DomainDialog } from './DomainDialog.tsx';

interface DomainDialogsProps {
  domain: Domain;
  /** The dialog that is open; null for none. */
  action: DomainAction | null;
  onClose: () => void;
  /** @param isGone whether the domain was deleted */
  onDone: (isGone: boolean) => void;
}

export function DomainDialogs({ domain, action, onClose, onDone }: DomainDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, host } = domain;
  return (
    <>
      <DomainDialog
        opened={action === 'edit'}
        domain={domain}
        onClose={onClose}
        onDone={() => onDone(false)}
      />
      <ConfirmAction
        opened={action === 'delete'}
        title={t('Delete domain “{host}”?', { host })}
        confirm={t('Delete domain')}
        call={{ method: 'DELETE', path: `/domains/${id}` }}
        action={() => deleteDomain(workspace.id, id)}
        onDone={() => onDone(true)}
        onClose={onClose}
      >
        <Text>
          {t(
            "Other workspaces can then verify this hostname. You can't delete a domain that has links: delete them or move them to another domain first.",
          )}
        </Text>
      </ConfirmAction>
    </>
  );
}
