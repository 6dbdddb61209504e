/** How far an import of CSV is, what came of it, and which lines were wrong. */
import { Table } from '@mantine/core';
import type { Job } from '../api/types.ts';
import { JobProgress } from './JobProgress.tsx';
import classes from './ui.module.css';

const count = new Intl.NumberFormat('en');

interface LineFault {
  line: number;
  code: string;
  detail: string;
}
const faultsOf = ({ result }: Job): LineFault[] => (result?.['faults'] ?? []) as LineFault[];

function saidOf({ state, progress, result, error }: Job): string {
  if (state === 'queued') return 'The import begins in a moment.';
  if (state === 'running') return `Importing: ${count.format(progress.done)} lines so far.`;
  const part = (name: string) => count.format(Number(result?.[name] ?? 0));
  const counts = `${part('created')} created, ${part('updated')} updated, ${part('unchanged')} as they were, ${part('failed')} wrong`;
  if (state === 'succeeded') return `Imported: ${counts}.`;
  return `The import ended${result ? ` (${counts})` : ''}: ${error?.detail ?? state}`;
}

interface ImportProgressProps {
  jobId: string;
  /** Once it has ended. */
  onOver: () => void;
  onClose: () => void;
}

export function ImportProgress(props: ImportProgressProps) {
  return (
    <JobProgress what="import" said={saidOf} isBad={(job) => faultsOf(job).length > 0} {...props}>
      {(job) => faultsOf(job).length > 0 && <Faults faults={faultsOf(job)} />}
    </JobProgress>
  );
}

function Faults({ faults }: { faults: LineFault[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- many faults are scrolled by keys
    <div className={classes.faults} role="group" aria-label="Lines that were wrong" tabIndex={0}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={70}>Line</Table.Th>
            <Table.Th>What is wrong</Table.Th>
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
