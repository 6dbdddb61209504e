/** Imports contacts from a CSV file. */
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { importPath } from '../../api/contacts.ts';
import { instancesByUseQuery, findDefaultInstance } from '../../api/instances.ts';
import type { Job } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ImportDialog as CsvDialog } from '../../patterns/form/ImportDialog.tsx';

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}

export function ImportDialog(props: ImportDialogProps) {
  const { workspace } = useWorkspace();
  const { data: instances = [] } = useQuery(instancesByUseQuery(workspace.id));
  const [chosen, setChosen] = useState<string>();
  const instanceId = chosen ?? (findDefaultInstance(instances) ?? instances[0])?.id ?? '';
  return (
    <CsvDialog
      title={t('Import contacts')}
      path={importPath(instanceId)}
      fileName="contacts.csv"
      form={t(
        "The first row names the columns. 'address' is required; 'name', 'instance', 'instance_id', 'avatar_url' and 'metadata' are optional. A row with a known address updates that contact, so you can import a file again. Exports have the same format.",
      )}
      example={'name,address\nAlice Meyer,alice\nBob Lang,bob'}
      {...props}
    >
      <InstanceSelect
        label={t('Instance')}
        description={t("For rows that don't specify an instance.")}
        placeholder={t('None (each row specifies one)')}
        clearable
        value={instanceId}
        onChange={setChosen}
      />
    </CsvDialog>
  );
}
