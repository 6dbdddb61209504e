/** Those of several whom the channel refused, each with why. */
import { Table } from '@mantine/core';
import type { Job } from '../../api/types.ts';
import { refusedOf } from '../../api/use-action.ts';
import ui from '../../ui/ui.module.css';
import classes from './groups.module.css';

export function RefusedPeople({ job }: { job: Job }) {
  const refused = refusedOf(job);
  if (refused.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- many are scrolled by keys
    <div className={ui.faults} role="group" aria-label="Who was refused" tabIndex={0}>
      <Table className={classes.faults}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Who</Table.Th>
            <Table.Th>Why not</Table.Th>
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
