import { Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { scopesQuery } from '../../api/api-keys.ts';
import type { Role } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { mayGrant, ROLE_NAMES } from './roles.ts';

interface RolePickerProps {
  value: Role;
  onChange: (role: Role) => void;
  error?: string | undefined;
}

/** The roles while their descriptions load: nothing moves when they arrive. */
const LOADING = (['owner', 'admin', 'developer', 'viewer'] as const).map((id) => ({
  id,
  description: t('Loading'),
}));

/** Selects one of the roles that the user can grant. */
export function RolePicker({ value, onChange, error }: RolePickerProps) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(scopesQuery(workspace.id));
  const roles = (data?.roles ?? LOADING).filter(({ id }) => mayGrant(workspace.role, id));
  return (
    <Radio.Group label={t('Role')} value={value} onChange={(role) => onChange(role)} error={error}>
      <Stack gap="xs" mt={6}>
        {roles.map(({ id, description }) => (
          <Radio key={id} value={id} label={ROLE_NAMES[id]} description={description} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
