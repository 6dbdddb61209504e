/** Who is in the group, page by page, and what can be done with each. */
import { Button, Group as Row, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconUserPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { participantsQuery } from '../../api/groups.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { mayManage, getBlock } from '../groups/group-text.ts';
import type { GroupPart } from './group-actions.ts';
import classes from './group.module.css';
import { participantColumns } from './participant-columns.tsx';

const route = getRouteApi('/w/$workspace/groups/$id');

const ROLES = [
  { value: '', label: 'Any role' },
  { value: 'owner', label: 'Owners' },
  { value: 'admin', label: 'Admins' },
  { value: 'member', label: 'Members' },
] as const;

export function Participants({ group, instance, onAction }: GroupPart) {
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const { role } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(
    participantsQuery(workspace.id, group.id, role === undefined ? {} : { role }),
  );
  const rows = useMemo(() => list.data?.map((one) => ({ ...one, id: one.address })), [list.data]);
  const isFree = getBlock(group, instance, writes) === null;
  const bans = instance?.capabilities.operations.includes('group_ban') ?? false;
  const columns = useMemo(
    () => participantColumns({ group, instance, onAction, isFree }),
    [group, instance, onAction, isFree],
  );
  return (
    <>
      <Row gap="sm" mb="sm" justify="space-between">
        <NativeSelect
          size="xs"
          aria-label="Role"
          data={[...ROLES]}
          value={role ?? ''}
          onChange={({ currentTarget }) => {
            const chosen = ROLES.find(({ value }) => value === currentTarget.value)?.value || undefined;
            void navigate({ search: (before) => ({ ...before, role: chosen }), replace: true });
          }}
        />
        {isFree && (
          <Row gap="xs">
            {bans && mayManage(group) && (
              <Button size="xs" variant="default" onClick={() => onAction({ kind: 'unban' })}>
                Unban
              </Button>
            )}
            <Button
              size="xs"
              leftSection={<IconUserPlus size={14} />}
              onClick={() => onAction({ kind: 'add' })}
            >
              Add participants
            </Button>
          </Row>
        )}
      </Row>
      <DataTable
        label="Participants"
        list={{ ...list, data: rows }}
        columns={columns}
        empty={
          <Text c="dimmed" py="xl" ta="center">
            {role === undefined ? 'Nobody is known to be in it.' : 'Nobody in it has this role.'}
          </Text>
        }
      />
      <div className={classes.foot}>
        <AsCurl
          call={{
            method: 'GET',
            path: `/groups/${group.id}/participants${role === undefined ? '' : `?role=${role}`}`,
          }}
        />
      </div>
    </>
  );
}
