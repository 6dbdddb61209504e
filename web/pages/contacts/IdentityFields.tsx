/** Addresses of a contact, each on a channel. */
import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { Instance } from '../../api/types.ts';
import type { Form } from '../../ui/use-form.ts';
import type { ContactForm, IdentityInput } from './contact-form.ts';
import classes from './contacts.module.css';

interface IdentityFieldsProps {
  form: Form<ContactForm>;
  instances: readonly Instance[];
}

export function IdentityFields({ form, instances }: IdentityFieldsProps) {
  const { identities } = form.values;
  const set = (at: number, change: Partial<IdentityInput>) =>
    form.set(
      'identities',
      identities.map((one, nth) => (nth === at ? { ...one, ...change } : one)),
    );
  // Those of an instance that is not in the list keep it.
  const choices = (id: string) => [
    ...instances.map((one) => ({ value: one.id, label: one.name })),
    ...(instances.some((one) => one.id === id) ? [] : [{ value: id, label: id }]),
  ];
  return (
    <Stack gap="xs" role="group" aria-label="Addresses">
      <Text fw={500}>Addresses</Text>
      {identities.map((identity, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a row is its place: two may say the same
        <Group key={at} gap="xs" wrap="nowrap" align="start">
          <NativeSelect
            aria-label={`Channel of address ${at + 1}`}
            className={classes.identityChannel}
            data={choices(identity.instance_id)}
            value={identity.instance_id}
            onChange={({ currentTarget }) => set(at, { instance_id: currentTarget.value })}
          />
          <TextInput
            aria-label={`Address ${at + 1}`}
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
            aria-label={`Remove address ${at + 1}`}
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
      {instances.length === 0 ? (
        <Text size="xs" c="dimmed">
          Addresses belong to channels, and there is none yet.
        </Text>
      ) : (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() =>
              form.set('identities', [...identities, { instance_id: instances[0]?.id ?? '', address: '' }])
            }
          >
            Add an address
          </Button>
        </Group>
      )}
    </Stack>
  );
}
