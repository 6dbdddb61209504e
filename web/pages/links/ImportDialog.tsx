/** Brings links along from a file. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { linkHostsQuery } from '../../api/domains.ts';
import { linkImportPath } from '../../api/links.ts';
import type { Job } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { ImportDialog as CsvDialog } from '../../ui/ImportDialog.tsx';

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}

export function ImportDialog(props: ImportDialogProps) {
  const { workspace } = useWorkspace();
  const { data: hosts = [] } = useQuery({
    ...linkHostsQuery(workspace.id),
    enabled: useCan('domains:read'),
  });
  const [domain, setDomain] = useState('');
  return (
    <CsvDialog
      title="Import links"
      path={linkImportPath(domain)}
      fileName="links.csv"
      form="The first line names the columns: url, and where you want slug, tags, title, expires_at, max_clicks, external_id and the others of an export. Exports of Dub, Shlink, Kutt, Bitly and YOURLS can be taken as they are; clicks and passwords are not. A line changes the link with its external_id, or at its address, so a file may be imported again."
      example={'url,slug,tags,external_id\nhttps://example.com/a,launch,"spring,mail",campaign-42'}
      {...props}
    >
      {hosts.length > 0 && (
        <NativeSelect
          label="Domain"
          data={[{ value: '', label: 'As each line says, else this server’s own' }, ...hosts]}
          value={domain}
          onChange={({ currentTarget }) => setDomain(currentTarget.value)}
        />
      )}
    </CsvDialog>
  );
}
