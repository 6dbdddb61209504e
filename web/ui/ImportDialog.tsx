/** A file of CSV is uploaded here; what becomes of it is a job that goes on by itself. */
import { Button, FileInput, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { curlFor } from '../api/curl.ts';
import type { Job } from '../api/types.ts';
import { upload } from '../api/upload.ts';
import { useWorkspace } from '../shell/workspace-context.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { Accordion } from './Accordion.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';
import ui from './ui.module.css';

interface ImportDialogProps {
  opened: boolean;
  /** "Import contacts". */
  title: string;
  /** Where the file goes, under `/api/v1`, with its query. */
  path: string;
  /** Name of the file in the command. */
  fileName: string;
  /** What columns there are and what they do. */
  form: React.ReactNode;
  /** The first lines of such a file. */
  example: string;
  onClose: () => void;
  onStarted: (job: Job) => void;
  /** Further fields, which change the path. */
  children?: React.ReactNode;
}

export function ImportDialog({ opened, title, ...rest }: ImportDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title={title} closeOnClickOutside={false}>
      <ImportForm {...rest} />
    </Modal>
  );
}

const uploadCommand = (path: string, fileName: string): string =>
  `${curlFor({ method: 'POST', path })} \\\n  -H "Content-Type: text/csv" \\\n  --data-binary @${fileName}`;

function ImportForm(props: Omit<ImportDialogProps, 'opened' | 'title'>) {
  const { path, fileName, form, example, onClose, onStarted, children } = props;
  const { workspace } = useWorkspace();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const sending = useMutation({
    mutationFn: (sent: File) => upload<Job>(workspace.id, path, sent, setProgress, leaving.current.signal),
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
        {children}
        <Accordion title="What the file looks like">
          <Text mb="xs">{form}</Text>
          <CodeBlock text={example} />
        </Accordion>
        <Accordion title="as cURL">
          <CodeBlock text={uploadCommand(path, fileName)} label="Copy cURL" />
        </Accordion>
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
