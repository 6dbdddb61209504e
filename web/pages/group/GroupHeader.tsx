/** Which group it is, and what can be done about it as a whole. */
import { Button, Group as Row } from '@mantine/core';
import { IconMessage, IconPencil } from '@tabler/icons-react';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ButtonLink, TextLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import ui from '../../ui/ui.module.css';
import { mayManage, participantsWord } from '../groups/group-text.ts';
import { GroupMark } from '../groups/GroupMark.tsx';
import type { GroupPart } from './group-actions.ts';
import classes from './group.module.css';

const MARK = 44;

export function GroupHeader({ group, instance, onAction, blocked }: GroupPart & { blocked: boolean }) {
  const { workspace } = useWorkspace();
  const chats = useCan('chats:read');
  const { subject, description, external_id: address, settings } = group;
  const isLocked = settings.locked && !mayManage(group);
  return (
    <>
      <TextLink to="/w/$workspace/groups" params={{ workspace: workspace.slug }} className={classes.back}>
        Groups
      </TextLink>
      <div className={classes.head}>
        <GroupMark picture={group.picture} size={MARK} />
        <PageHeader
          title={subject}
          description={
            <>
              <span className={classes.address}>
                <span>{participantsWord(group.participants_count)}</span>
                {instance && (
                  <TextLink
                    to="/w/$workspace/channels/$id"
                    params={{ workspace: workspace.slug, id: instance.id }}
                  >
                    {instance.name}
                  </TextLink>
                )}
                <span className={classes.external}>
                  <span className={ui.mono} title={address}>
                    {address}
                  </span>
                  <CopyButton text={address} label="Copy the address" />
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
                Open the chat
              </ButtonLink>
            )}
            {!blocked && (
              <>
                <Button
                  variant="default"
                  leftSection={<IconPencil size={16} />}
                  disabled={isLocked}
                  title={isLocked ? 'Only owners and admins of the group may change this.' : undefined}
                  onClick={() => onAction({ kind: 'edit' })}
                >
                  Change
                </Button>
                <RowMenu
                  of="the group"
                  actions={[
                    { label: 'Read it again', onClick: () => onAction({ kind: 'refresh' }) },
                    { label: 'Leave', danger: true, onClick: () => onAction({ kind: 'leave' }) },
                  ]}
                />
              </>
            )}
          </Row>
        </PageHeader>
      </div>
    </>
  );
}
