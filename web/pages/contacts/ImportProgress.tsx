/** How far an import is, what came of it, and which lines were wrong. It goes on when the page is left. */
import { Alert, CloseButton, Group, Progress, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refreshContacts } from '../../api/contacts.ts';
import { isOver, jobQuery } from '../../api/jobs.ts';
import type { Job } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import classes from './contacts.module.css';

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

export function ImportProgress({ jobId, onClose }: { jobId: string; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const { data: job, error } = useQuery(jobQuery(workspace.id, jobId));
  const over = job !== undefined && isOver(job);
  useEffect(() => {
    if (over) void refreshContacts(client, workspace.id);
  }, [over, client, workspace.id]);
  if (!job) return error ? <ProblemAlert error={error} /> : null;
  const { done, total } = job.progress;
  const faults = faultsOf(job);
  const isBad = over && (job.state !== 'succeeded' || faults.length > 0);
  return (
    <Alert
      color={isBad ? 'red' : 'sea'}
      variant="light"
      mb="md"
      className={isBad ? ui.problem : classes.notice}
    >
      <Group wrap="nowrap" align="flex-start" justify="space-between">
        <Text role="status">{saidOf(job)}</Text>
        {over && <CloseButton size="sm" aria-label="Dismiss the import" onClick={onClose} />}
      </Group>
      {!over && (
        <Progress
          mt={8}
          size="sm"
          value={total ? (done / total) * 100 : 100}
          animated={!total}
          aria-label="Progress of the import"
        />
      )}
      {faults.length > 0 && (
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
      )}
    </Alert>
  );
}
