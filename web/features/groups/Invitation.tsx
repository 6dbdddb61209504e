/** Shows the invitation link of a group. */
import { Button, Group as Row, Stack, Text, Title } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { askGroup } from '../../api/groups.ts';
import { useEndOf } from '../../api/use-action.ts';
import { useActions } from '../../patterns/actions/use-actions.tsx';
import { t } from '../../copy/text.ts';
import type { Group } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { getManagementBlock } from './group-text.ts';
import type { GroupPart } from './group-actions.ts';

const InviteQr = lazily(() => import('./InviteQr.tsx'), 'InviteQr');

export function Invitation({ group, instance }: GroupPart) {
  const writes = useCan('groups:write');
  const [isShown, setShown] = useState(false);
  const end = useEndOf();
  const { run, dialogs } = useActions<Group, 'revoke'>([
    {
      id: 'revoke',
      label: () => t('Revoke'),
      confirm: ({ id, subject: name }) => ({
        title: t('Revoke invitation link of group “{name}”?', { name }),
        text: t(
          "The current link stops working and is replaced with a new one. Participants stay in the group. This can't be undone.",
        ),
        button: t('Revoke'),
        call: askGroup(id, 'invite/revoke'),
        action: end,
      }),
      done: () => t('Invitation link replaced'),
    },
  ]);
  const operations = instance?.capabilities.operations ?? [];
  if (!operations.includes('group_invite') || group.membership !== 'joined') return null;
  const block = getManagementBlock(group, instance, writes);
  const url = group.invite_url;
  return (
    <section aria-label={t('Invitation link')}>
      <Title order={2}>{t('Invitation link')}</Title>
      <Stack gap="sm" mt="xs">
        <Text c="dimmed">
          {url === null
            ? t("This instance can't see the invitation link.")
            : t('Anyone with this link can join the group.')}
        </Text>
        {url !== null && (
          <>
            <CodeBlock text={url} label={t('Copy invitation link')} maxHeight={160} />
            <Row gap="xs">
              <Button
                size="xs"
                variant="default"
                leftSection={<IconQrcode size={14} />}
                aria-expanded={isShown}
                onClick={() => setShown(!isShown)}
              >
                {isShown ? t('Hide QR code') : t('Show QR code')}
              </Button>
              {operations.includes('group_invite_revoke') && block === null && (
                <Button
                  size="xs"
                  variant="default"
                  c="var(--mantine-color-error)"
                  onClick={() => run('revoke', group)}
                >
                  {t('Revoke')}
                </Button>
              )}
            </Row>
            {isShown && (
              <Suspense>
                <InviteQr key={url} url={url} subject={group.subject} />
              </Suspense>
            )}
          </>
        )}
        <AsCurl call={{ method: 'GET', path: `/groups/${group.id}/invite` }} />
      </Stack>
      {dialogs}
    </section>
  );
}
