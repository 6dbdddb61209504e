/** Checks which addresses exist on the channel of an instance. */
import { Table, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { send } from '../../api/call.ts';
import { checkAddresses } from '../../api/contacts.ts';
import { getEnd } from '../../api/jobs.ts';
import { fieldProblem } from '../../api/problem.ts';
import type { Instance, Job } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { WithInstance } from '../instances/WithInstance.tsx';
import { getAddresses, type CheckedAddress, getChecked, MAX_ADDRESSES } from './address-lines.ts';

interface CheckDialogProps {
  opened: boolean;
  onClose: () => void;
}

export function CheckDialog({ opened, onClose }: CheckDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={t('Check addresses')}>
      <WithInstance
        operation="check_address"
        disconnected={t('No instance that can check addresses is connected.')}
        none={t('No instance is on a channel that can check addresses.')}
      >
        {(first) => <CheckForm first={first} />}
      </WithInstance>
    </FormDialog>
  );
}

interface Values {
  instance_id: string;
  /** One per line. */
  addresses: string;
}

const toCall = ({ instance_id: id, addresses }: Values) =>
  checkAddresses({ instance_id: id, addresses: getAddresses(addresses) });

function CheckForm({ first }: { first: Instance }) {
  const { workspace } = useWorkspace();
  const [done, setDone] = useState<Job>();
  const form = useApiForm<Values, Job>(
    { instance_id: first.id, addresses: '' },
    async (values) => {
      setDone(undefined);
      if (getAddresses(values.addresses).length === 0)
        throw fieldProblem('/addresses', t('Enter at least one address.'));
      return getEnd(workspace.id, await send(workspace.id, toCall(values)));
    },
    setDone,
  );
  const addresses = getAddresses(form.values.addresses);
  const isTooMany = addresses.length > MAX_ADDRESSES;
  const lineError = addresses.map((_, nth) => form.at('addresses', String(nth))).find(Boolean);
  return (
    <FormBody form={form} submit={t('Check')} disabled={isTooMany} call={toCall(form.values)}>
      <InstanceSelect
        label={t('Instance')}
        operation="check_address"
        value={form.values.instance_id}
        onChange={(id) => form.set('instance_id', id)}
        error={form.error('instance_id')}
      />
      <Textarea
        label={t('Addresses')}
        description={t('One per line, up to {max}.', { max: MAX_ADDRESSES })}
        autosize
        minRows={3}
        maxRows={8}
        spellCheck={false}
        autoCapitalize="none"
        data-autofocus
        {...form.text('addresses')}
        error={
          isTooMany
            ? t('Check up to {max} addresses at a time.', { max: MAX_ADDRESSES })
            : (lineError ?? form.error('addresses'))
        }
      />
      {done && <Results results={getChecked(done.result)} />}
    </FormBody>
  );
}

function Results({ results }: { results: CheckedAddress[] | null }) {
  if (!results)
    return (
      <Text role="status" c="var(--mantine-color-error)">
        {t("The instance wasn't connected, so no address was checked. Connect it, then try again.")}
      </Text>
    );
  return (
    <Table aria-label={t('Results')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('Address')}</Table.Th>
          <Table.Th>{t('Result')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {results.map(({ address, normalised, exists }) => (
          <Table.Tr key={address}>
            <Table.Td className={ui.mono}>{address}</Table.Td>
            <Table.Td>
              <Existence isValid={normalised !== null} exists={exists} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Existence({ isValid, exists }: { isValid: boolean; exists: boolean | null }) {
  if (!isValid) return <Status tone="bad">{t('Not valid')}</Status>;
  if (exists === null) return <Status tone="idle">{t('Unknown')}</Status>;
  return exists ? (
    <Status tone="good">{t('Exists')}</Status>
  ) : (
    <Status tone="bad">{t("Doesn't exist")}</Status>
  );
}
