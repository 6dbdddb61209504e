/** Explains why a group can't be changed. */
import { Alert } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Group } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { TextLink } from '../../design/links.tsx';
import ui from '../../design/ui.module.css';

export function BlockedNotice({ reason, group }: { reason: string; group: Group }) {
  const { workspace } = useWorkspace();
  return (
    <Alert
      variant="light"
      color="gray"
      mb="md"
      flex="none"
      className={ui.notice}
      icon={<IconInfoCircle size={16} />}
    >
      {reason}{' '}
      {group.membership === 'joined' && (
        <TextLink
          to="/w/$workspace/instances/$id"
          params={{ workspace: workspace.slug, id: group.instance_id }}
        >
          {t('View instance')}
        </TextLink>
      )}
    </Alert>
  );
}
