/** What an update changed: each field with its value before and after. */
import { Table } from '@mantine/core';
import type { AuditEntry } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import ui from '../../design/ui.module.css';

const shown = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

export function Changes({ changes }: { changes: NonNullable<AuditEntry['changes']> }) {
  return (
    <Table withRowBorders verticalSpacing={6} aria-label={t('Changes')} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('Field')}</Table.Th>
          <Table.Th>{t('Before')}</Table.Th>
          <Table.Th>{t('After')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(changes).map(([field, { before, after }]) => (
          <Table.Tr key={field} style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
            <Table.Th scope="row" className={ui.mono} fw={400}>
              {field}
            </Table.Th>
            <Table.Td>{shown(before)}</Table.Td>
            <Table.Td>{shown(after)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
