/** The addresses of a contact, each with its instance. */
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { firstInstancesQuery } from '../../api/instances.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import type { ContactForm, IdentityInput } from './contact-form.ts';
import classes from './contacts.module.css';

interface IdentityFieldsProps {
  form: ApiForm<ContactForm>;
}

export function IdentityFields({ form }: IdentityFieldsProps) {
  const { workspace } = useWorkspace();
  const { data: instances } = useQuery(firstInstancesQuery(workspace.id));
  const { identities } = form.values;
  const set = (at: number, change: Partial<IdentityInput>) =>
    form.set(
      'identities',
      identities.map((one, nth) => (nth === at ? { ...one, ...change } : one)),
    );
  return (
    <Stack gap="xs" role="group" aria-label={t('Addresses')}>
      <Text fw={500}>{t('Addresses')}</Text>
      {identities.map((identity, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows are identified by position: two can be equal
        <Group key={at} gap="xs" wrap="nowrap" align="start">
          <InstanceSelect
            aria-label={t('Instance of address {number}', { number: at + 1 })}
            className={classes.identityChannel}
            value={identity.instance_id}
            onChange={(id) => set(at, { instance_id: id })}
            error={form.at('identities', String(at), 'instance_id')}
          />
          <TextInput
            aria-label={t('Address {number}', { number: at + 1 })}
            className={classes.identityAddress}
            autoCapitalize="none"
            value={identity.address}
            onChange={({ currentTarget }) => set(at, { address: currentTarget.value })}
            error={form.at('identities', String(at), 'address')}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('Remove address {number}', { number: at + 1 })}
            onClick={() =>
              form.set(
                'identities',
                identities.filter((_, nth) => nth !== at),
              )
            }
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      {instances?.length === 0 ? (
        <Text size="xs" c="dimmed">
          {t('Create an instance first. Each address belongs to an instance.')}
        </Text>
      ) : (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() =>
              form.set('identities', [...identities, { instance_id: instances?.[0]?.id ?? '', address: '' }])
            }
          >
            {t('Add address')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
