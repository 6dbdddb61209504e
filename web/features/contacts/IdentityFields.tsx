/** The addresses of a contact, each with its instance. */
import { useQuery } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { instancesByUseQuery, findDefaultInstance } from '../../api/instances.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { RowsField } from '../../patterns/form/RowsField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { type ContactForm, newIdentity } from './contact-form.ts';

export function IdentityFields({ form }: { form: ApiForm<ContactForm> }) {
  const { workspace } = useWorkspace();
  const { data: instances } = useQuery(instancesByUseQuery(workspace.id));
  const hasNone = instances?.length === 0;
  return (
    <RowsField
      label={t('Addresses')}
      {...(hasNone && {
        description: t('Create an instance first. Each address belongs to an instance.'),
        max: 0,
      })}
      rows={form.values.identities}
      onChange={(identities) => form.set('identities', identities)}
      namedBy="address"
      fields={(_row, _name, index) => [
        {
          name: 'instance_id',
          label: t('Instance of address {number}', { number: index + 1 }),
          render: (cell) => <InstanceSelect {...cell} />,
        },
        {
          name: 'address',
          label: t('Address {number}', { number: index + 1 }),
          placeholder: '',
          autoCapitalize: 'none',
          grow: 1.5,
        },
      ]}
      create={() =>
        newIdentity({
          instance_id: (findDefaultInstance(instances ?? []) ?? instances?.[0])?.id ?? '',
          address: '',
        })
      }
      add={t('Add address')}
      errorAt={(index, name) => form.at('identities', String(index), name)}
    />
  );
}
