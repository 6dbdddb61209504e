/** The link's QR code, as one wants it; what is seen is what the server draws. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { qrPath, qrQuery } from '../../api/analytics.ts';
import { curlFor } from '../../api/curl.ts';
import { ApiProblem } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { shownAddress } from '../../ui/addresses.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { FailedList } from '../../ui/ListStates.tsx';
import { useCopy } from '../../ui/use-copy.ts';
import type { LinkTabProps } from './link-tabs.ts';
import { FIRST_LOOK, lookOf, type QrValues } from './qr-look.ts';
import { QrFields } from './QrFields.tsx';
import classes from './qr.module.css';

const TYPED_MS = 200;

export function LinkQr({ link }: LinkTabProps) {
  const { workspace } = useWorkspace();
  const [values, setValues] = useState<QrValues>(FIRST_LOOK);
  const [settled] = useDebouncedValue(values, TYPED_MS);
  const look = lookOf(settled);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...qrQuery(workspace.id, link.id, link.short_url, look),
    placeholderData: keepPreviousData,
  });
  const problem = error instanceof ApiProblem && error.faults.length > 0 ? error : null;
  const faultOf = (name: string): string | undefined => {
    // What was said is of the look before, until the server has said something of this one.
    const detail = problem?.faults.find(({ pointer }) => pointer === `?${name}`)?.detail;
    return detail && detail.charAt(0).toUpperCase() + detail.slice(1);
  };
  const [svg, png] = [qrPath(link.id, look, 'svg'), qrPath(link.id, look, 'png')];
  const slug = link.slug;
  return (
    <div className={classes.designer}>
      <Stack gap="md">
        <QrFields values={values} onChange={setValues} faultOf={faultOf} />
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
                alt={`QR code of ${shownAddress(link.short_url)}`}
              />
            )}
          </div>
        )}
        <figcaption>
          {problem ? (
            <Text c="var(--mantine-color-error)" role="alert">
              Not drawn so: this is the last that could be.
            </Text>
          ) : (
            <Text c="dimmed">
              {`It holds ${shownAddress(link.short_url)} alone: where that leads can change after it is printed.`}
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
      {{ idle: 'Copy cURL', copied: 'Copied', failed: 'The browser refused' }[state]}
    </Button>
  );
}
