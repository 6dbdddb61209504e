/** Designs the link's QR code. The preview is rendered by the server. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { qrPath, qrQuery } from '../../api/analytics.ts';
import { curlFor } from '../../api/curl.ts';
import { ApiProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { shownAddress } from '../../design/addresses.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { FailedList } from '../../patterns/ListStates.tsx';
import { useCopy } from '../../design/use-copy.ts';
import type { LinkTabProps } from './link-tab-props.ts';
import { FIRST_LOOK, getLook, type QrValues } from './qr-look.ts';
import { QrFields } from './QrFields.tsx';
import classes from './qr.module.css';

const TYPED_MS = 200;

export function LinkQr({ link }: LinkTabProps) {
  const { workspace } = useWorkspace();
  const [values, setValues] = useState<QrValues>(FIRST_LOOK);
  const [settled] = useDebouncedValue(values, TYPED_MS);
  const look = getLook(settled);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...qrQuery(workspace.id, link.id, link.short_url, look),
    placeholderData: keepPreviousData,
  });
  const problem = error instanceof ApiProblem && error.faults.length > 0 ? error : null;
  const getFault = (name: string): string | undefined => {
    // Shows the errors of the previous settings until the server has answered.
    const detail = problem?.faults.find(({ pointer }) => pointer === `?${name}`)?.detail;
    return detail && detail.charAt(0).toUpperCase() + detail.slice(1);
  };
  const [svg, png] = [qrPath(link.id, look, 'svg'), qrPath(link.id, look, 'png')];
  const slug = link.slug;
  return (
    <div className={classes.designer}>
      <Stack gap="md">
        <QrFields values={values} onChange={setValues} getFault={getFault} />
        <Group gap="xs">
          <ExportButton label="SVG" path={svg} fileName={`${slug}-qr.svg`} disabled={error !== null} />
          <ExportButton label="PNG" path={png} fileName={`${slug}-qr.png`} disabled={error !== null} />
          <CopyCurl path={png} output={`${slug}-qr.png`} />
        </Group>
        <AsCurl call={{ method: 'GET', path: png, output: `${slug}-qr.png` }} />
      </Stack>
      <figure className={classes.figure}>
        {error !== null && !problem ? (
          <FailedList error={error} retry={() => void refetch()} />
        ) : (
          <div
            className={classes.preview}
            data-transparent={settled.transparent || undefined}
            data-refused={problem !== null || undefined}
            aria-busy={isPlaceholderData}
          >
            {data !== undefined && (
              <img
                src={`data:image/svg+xml,${encodeURIComponent(data)}`}
                alt={t('QR code for {short_url}', { short_url: shownAddress(link.short_url) })}
              />
            )}
          </div>
        )}
        <figcaption>
          {problem ? (
            <Text c="var(--mantine-color-error)" role="alert">
              {t("These settings can't be rendered. Showing the last valid preview.")}
            </Text>
          ) : (
            <Text c="dimmed">
              {t('This code contains only {short_url}, so you can change the destination after printing.', {
                short_url: shownAddress(link.short_url),
              })}
            </Text>
          )}
        </figcaption>
      </figure>
    </div>
  );
}

function CopyCurl({ path, output }: { path: string; output: string }) {
  const { state, copy } = useCopy();
  return (
    <Button
      variant="default"
      leftSection={<IconCopy size={16} />}
      onClick={() => void copy(curlFor({ method: 'GET', path, output }))}
    >
      {{ idle: t('Copy cURL'), copied: t('Copied'), failed: t("Couldn't copy") }[state]}
    </Button>
  );
}
