import { Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scopesQuery } from '../../api/api-keys.ts';
import type { Role } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { mayGive } from './roles.ts';

interface RolePickerProps {
  value: Role;
  onChange: (role: Role) => void;
  error?: string | undefined;
}

/** Picks a role, of those that the user may give. */
export function RolePicker({ value, onChange, error }: RolePickerProps) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(scopesQuery(workspace.id));
  const roles = data?.roles.filter(({ id }) => mayGive(workspace.role, id)) ?? [];
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role)} error={error}>
      <Stack gap="xs" mt={6}>
        {roles.map(({ id, description }) => (
          <Radio
            key={id}
            value={id}
            label={id.charAt(0).toUpperCase() + id.slice(1)}
            description={description}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
