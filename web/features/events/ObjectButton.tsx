import { IconExternalLink } from '@tabler/icons-react';
import type { EventObject } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ButtonLink } from '../../design/links.tsx';
import { eventObjectLink } from './object-link.ts';

/** Leads to the object that the event is about. */
export function ObjectButton({ event }: { event: EventObject }) {
  const { workspace } = useWorkspace();
  const link = eventObjectLink(workspace.slug, event);
  if (!link) return null;
  return (
    <ButtonLink
      {...(link as { to: '.' })}
      size="xs"
      variant="default"
      leftSection={<IconExternalLink size={14} />}
    >
      {t('View object')}
    </ButtonLink>
  );
}
