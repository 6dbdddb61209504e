/** Gets a file from the API and gives it to be saved. */
import { t } from '../copy/text.ts';
import { ActionIcon, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { download } from '../api/download.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { notifyFailed } from '../design/notify.ts';

/** How long the file stays at hand for the browser, which takes it when it likes. */
const KEPT_MS = 60_000;

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** @param path under `/api/v1`, with its query */
export function useExport(path: string, fileName: string) {
  const { workspace } = useWorkspace();
  return useMutation({
    mutationFn: () => download(workspace.id, path),
    onSuccess: (blob) => save(blob, fileName),
    onError: notifyFailed,
  });
}

interface ExportButtonProps {
  /** Under `/api/v1`, with its query. */
  path: string;
  fileName: string;
  label?: string;
  /** The icon alone. */
  small?: boolean;
  disabled?: boolean;
}

export function ExportButton(props: ExportButtonProps) {
  const { path, fileName, label = t('Export'), small = false, disabled = false } = props;
  const exporting = useExport(path, fileName);
  const shared = { loading: exporting.isPending, disabled, onClick: () => exporting.mutate() };
  if (small)
    return (
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} data-tip={label} {...shared}>
        <IconDownload size={14} />
      </ActionIcon>
    );
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} {...shared}>
      {label}
    </Button>
  );
}
