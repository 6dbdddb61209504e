/** Brings contacts along from a file. */
import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { importPath } from '../../api/contacts.ts';
import { instancesQuery } from '../../api/instances.ts';
import type { Job } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ImportDialog as CsvDialog } from '../../ui/ImportDialog.tsx';

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}

export function ImportDialog(props: ImportDialogProps) {
  const { workspace } = useWorkspace();
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  const [chosen, setChosen] = useState<string>();
  const instanceId = chosen ?? instances[0]?.id ?? '';
  return (
    <CsvDialog
      title="Import contacts"
      path={importPath(instanceId)}
      fileName="contacts.csv"
      form="The first line names the columns: address, and where you want name, instance or instance_id, avatar_url, metadata. An address that a contact has already changes that contact, so a file may be imported again. An export has this form."
      example={'name,address\nAlice Meyer,alice\nBob Lang,bob'}
      {...props}
    >
      <NativeSelect
        label="Channel"
        description="Of the lines that name none"
        data={[
          ...instances.map(({ id, name }) => ({ value: id, label: name })),
          { value: '', label: 'None: each line names its own' },
        ]}
        value={instanceId}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
    </CsvDialog>
  );
}
