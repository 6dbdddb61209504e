/** The invitation by which others come into a group. */
import { Button, Group as Row, Stack, Text, Title } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useCan } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { managementBlock } from '../groups/group-text.ts';
import type { GroupPart } from './group-actions.ts';

const InviteQr = lazy(async () => ({ default: (await import('./InviteQr.tsx')).InviteQr }));

export function Invitation({ group, instance, onAction }: GroupPart) {
  const writes = useCan('groups:write');
  const [isDrawn, setDrawn] = useState(false);
  const operations = instance?.capabilities.operations ?? [];
  if (!operations.includes('group_invite') || group.membership !== 'joined') return null;
  const obstacle = managementBlock(group, instance, writes);
  const url = group.invite_url;
  return (
    <section aria-label="Invitation">
      <Title order={2}>Invitation</Title>
      <Stack gap="sm" mt="xs">
        <Text c="dimmed">{url === null ? 'Your account is not shown one.' : 'Who has it can join.'}</Text>
        {url !== null && (
          <>
            <CodeBlock text={url} label="Copy the invitation" wrap maxHeight={160} />
            <Row gap="xs">
              <Button
                size="xs"
                variant="default"
                leftSection={<IconQrcode size={14} />}
                aria-expanded={isDrawn}
                onClick={() => setDrawn(!isDrawn)}
              >
                {isDrawn ? 'Hide the QR code' : 'QR code'}
              </Button>
              {operations.includes('group_invite_revoke') && obstacle === null && (
                <Button size="xs" variant="default" color="red" onClick={() => onAction({ kind: 'revoke' })}>
                  Revoke
                </Button>
              )}
            </Row>
            {isDrawn && (
              <Suspense>
                <InviteQr key={url} url={url} subject={group.subject} />
              </Suspense>
            )}
          </>
        )}
        <AsCurl call={{ method: 'GET', path: `/groups/${group.id}/invite` }} />
      </Stack>
    </section>
  );
}
