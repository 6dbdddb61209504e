/** Uploads a CSV file and starts an import job, which continues in the background. */
import { FileInput, Progress, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { curlFor } from '../../api/curl.ts';
import type { Job } from '../../api/types.ts';
import { upload } from '../../api/upload.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { Accordion } from '../../design/Accordion.tsx';
import { AsCurl } from '../AsCurl.tsx';
import { FormBody, FormDialog } from './form-frame.tsx';

interface ImportDialogProps {
  opened: boolean;
  /** "Import contacts". */
  title: string;
  /** Where the file goes, under `/api/v1`, with its query. */
  path: string;
  /** Name of the file in the command. */
  fileName: string;
  /** Describes the columns. */
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
    <FormDialog opened={opened} onClose={rest.onClose} title={title}>
      <ImportForm {...rest} />
    </FormDialog>
  );
}

const uploadCommand = (path: string, fileName: string): string =>
  `${curlFor({ method: 'POST', path })} \\\n  -H "Content-Type: text/csv" \\\n  --data-binary @${fileName}`;

function ImportForm(props: Omit<ImportDialogProps, 'opened' | 'title' | 'onClose'>) {
  const { path, fileName, form, example, onStarted, children } = props;
  const { workspace } = useWorkspace();
  const [file, setFile] = useState<File | null>(null);
  const [isMissing, setMissing] = useState(false);
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
    <FormBody
      form={{
        submit: (event) => {
          event?.preventDefault();
          if (!file) setMissing(true);
          else if (!sending.isPending) sending.mutate(file);
        },
        pending: sending.isPending,
        problem: sending.error,
        rest: [],
        failure: sending.error,
        isDirty: file !== null,
      }}
      submit={t('Import')}
    >
      <FileInput
        label={t('File')}
        description={t('CSV, UTF-8, up to 64 MB.')}
        placeholder={t('Choose a file')}
        leftSection={<IconFileSpreadsheet size={16} />}
        accept=".csv,text/csv"
        clearable
        value={file}
        onChange={setFile}
        error={isMissing && !file && t('Select a CSV file.')}
      />
      {children}
      <Accordion title={t('File format')}>
        <Text mb="xs">{form}</Text>
        <CodeBlock text={example} />
      </Accordion>
      <AsCurl text={uploadCommand(path, fileName)} />
      {sending.isPending && <Progress value={progress * 100} size="sm" aria-label={t('Uploaded')} />}
    </FormBody>
  );
}
