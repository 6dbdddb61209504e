/** Uploads a file of contacts; what becomes of it is a job that goes on by itself. */
import { Button, FileInput, Modal, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { importContacts, importPath } from '../../api/contacts.ts';
import { curlFor } from '../../api/curl.ts';
import { instancesQuery } from '../../api/instances.ts';
import type { Job } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Fold } from '../../ui/Fold.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}

export function ImportDialog({ opened, ...rest }: ImportDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Import contacts" closeOnClickOutside={false}>
      <ImportForm {...rest} />
    </Modal>
  );
}

const EXAMPLE = 'name,address\nAlice Meyer,alice\nBob Lang,bob';

const uploadCommand = (path: string): string =>
  `${curlFor({ method: 'POST', path })} \\\n  -H "Content-Type: text/csv" \\\n  --data-binary @contacts.csv`;

function ImportForm({ onClose, onStarted }: Omit<ImportDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  const [chosen, setChosen] = useState<string>();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const instanceId = chosen ?? instances[0]?.id ?? '';
  const sending = useMutation({
    mutationFn: (sent: File) =>
      importContacts(workspace.id, instanceId, sent, setProgress, leaving.current.signal),
    onSuccess: onStarted,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (file && !sending.isPending) sending.mutate(file);
      }}
    >
      <Stack>
        <FileInput
          label="File"
          description="CSV in UTF-8, up to 64 MiB"
          placeholder="Choose a file"
          leftSection={<IconFileSpreadsheet size={16} />}
          accept=".csv,text/csv"
          clearable
          value={file}
          onChange={setFile}
        />
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
        <Fold title="What the file looks like">
          <Text mb="xs">
            The first line names the columns: address, and where you want name, instance or instance_id,
            avatar_url, metadata. An address that a contact has already changes that contact, so a file may be
            imported again. An export has this form.
          </Text>
          <CodeBlock text={EXAMPLE} />
        </Fold>
        <Fold title="as cURL">
          <CodeBlock text={uploadCommand(importPath(instanceId))} label="Copy cURL" />
        </Fold>
        {sending.isPending && <Progress value={progress * 100} size="sm" aria-label="Uploaded" />}
        {sending.error && <ProblemAlert error={sending.error} />}
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!file} loading={sending.isPending}>
            Import
          </Button>
        </div>
      </Stack>
    </form>
  );
}
