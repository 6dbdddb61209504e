/** Shows the progress and result of a CSV import, with the lines that failed. */
import { Table } from '@mantine/core';
import { formatNumber, t } from '../copy/text.ts';
import type { Job } from '../api/types.ts';
import { JobProgress } from './JobProgress.tsx';
import classes from '../design/ui.module.css';

interface LineFault {
  line: number;
  code: string;
  detail: string;
}
const getFaults = ({ result }: Job): LineFault[] => (result?.['faults'] ?? []) as LineFault[];

function getSaid({ state, progress, result, error }: Job): string {
  if (state === 'queued') return t('The import starts shortly.');
  if (state === 'running')
    return t('Importing: {count} lines so far.', { count: formatNumber(progress.done) });
  const part = (name: string) => formatNumber(Number(result?.[name] ?? 0));
  const counts = t('{created} created, {updated} updated, {unchanged} unchanged, {failed} failed', {
    created: part('created'),
    updated: part('updated'),
    unchanged: part('unchanged'),
    failed: part('failed'),
  });
  if (state === 'succeeded') return t('Imported: {counts}.', { counts });
  const detail = error?.detail ?? state;
  return result
    ? t('Import failed after {counts}: {detail}', { counts, detail })
    : t('Import failed: {detail}', { detail });
}

interface ImportProgressProps {
  jobId: string;
  /** Once it has ended. */
  onOver: () => void;
  onClose: () => void;
}

export function ImportProgress(props: ImportProgressProps) {
  return (
    <JobProgress what="import" said={getSaid} isBad={(job) => getFaults(job).length > 0} {...props}>
      {(job) => getFaults(job).length > 0 && <Faults faults={getFaults(job)} />}
    </JobProgress>
  );
}

function Faults({ faults }: { faults: LineFault[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- many faults are scrolled by keys
    <div className={classes.faults} role="group" aria-label={t('Rejected lines')} tabIndex={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={70}>{t('Line')}</Table.Th>
            <Table.Th>{t('Error')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {faults.map(({ line, code, detail }) => (
            <Table.Tr key={`${line} ${code}`}>
              <Table.Td>{line}</Table.Td>
              <Table.Td>{detail}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
