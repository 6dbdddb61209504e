/** Lists the people that the channel rejected, with the reasons. */
import { Table } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { Job } from '../../api/types.ts';
import { getRefused } from '../../api/use-action.ts';
import ui from '../../design/ui.module.css';

export function RejectedPeople({ job }: { job: Job }) {
  const refused = getRefused(job);
  if (refused.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- needed to scroll with the keyboard
    <div className={ui.faults} role="group" aria-label={t('Rejected participants')} tabIndex={0}>
      <Table className={atoms.breaks}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('Address')}</Table.Th>
            <Table.Th>{t('Reason')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {refused.map(({ address, error }) => (
            <Table.Tr key={address}>
              <Table.Td className={ui.mono}>{address}</Table.Td>
              <Table.Td>{error?.detail}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
