/** The header of a group's page, with its actions. */
import { Group as Row } from '@mantine/core';
import { IconMessage } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Group } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { ButtonLink, TextLink } from '../../design/links.tsx';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import atoms from '../../design/atoms.module.css';
import ui from '../../design/ui.module.css';
import { participantsLabel, shortName } from './group-text.ts';
import { GroupMark } from './GroupMark.tsx';
import type { GroupPart } from './group-actions.ts';
import classes from './group.module.css';

const MARK = 44;

export const BACK = { label: t('Groups'), to: '/w/$workspace/groups' } as const;

interface GroupHeaderProps extends GroupPart {
  actions: readonly Action<Group>[];
  blocked: boolean;
}

export function GroupHeader({ group, instance, actions, blocked }: GroupHeaderProps) {
  const { workspace } = useWorkspace();
  const chats = useCan('chats:read');
  const { subject, description, external_id: address } = group;
  return (
    <DetailHeader
      back={BACK}
      mark={<GroupMark picture={group.picture} size={MARK} />}
      title={subject}
      description={
        <>
          <span className={classes.address}>
            <span>{participantsLabel(group.participants_count)}</span>
            {instance && (
              <TextLink
                to="/w/$workspace/instances/$id"
                params={{ workspace: workspace.slug, id: instance.id }}
              >
                {instance.name}
              </TextLink>
            )}
            <span className={ui.id}>
              <span className={`${ui.mono} ${atoms.twoLines}`} title={address}>
                {address}
              </span>
              <CopyButton text={address} label={t('Copy address')} />
            </span>
          </span>
          {description !== null && (
            <span className={classes.description} dir="auto">
              {description}
            </span>
          )}
        </>
      }
    >
      <Row gap="xs">
        {chats && (
          <ButtonLink
            variant={blocked ? 'default' : 'filled'}
            leftSection={<IconMessage size={16} />}
            to="/w/$workspace/chats/$id"
            params={{ workspace: workspace.slug, id: group.chat_id }}
          >
            {t('Open chat')}
          </ButtonLink>
        )}
        {!blocked && <ActionButtons record={group} of={shortName(subject)} actions={actions} />}
      </Row>
    </DetailHeader>
  );
}
