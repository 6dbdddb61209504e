/**
 * The sheet of one record beside its list. The record is the one that the address names: a row of the list, or, for a
 * deep link to one that is not on the loaded pages, read alone.
 */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { isMissing } from '../api/problem.ts';
import { t } from '../copy/text.ts';
import { FailedList, LoadingList } from './ListStates.tsx';
import { SideSheet } from './lazy-dialogs.tsx';

export interface Single<T> {
  queryKey: readonly unknown[];
  queryFn?: unknown;
  /** Carries the record type; never set at run time. */
  readonly __record?: T;
}

interface RecordSheetProps<T extends { id: string }> {
  /** Search parameter that holds the ID. */
  param?: string;
  rows: readonly T[] | undefined;
  /** Reads one record that is not among the rows. Without it, the rows are all there is. */
  single?: (id: string) => Single<T>;
  title: (record: T) => React.ReactNode;
  /** A dialog is open above the sheet and handles the keys. */
  busy?: boolean;
  children: (record: T) => React.ReactNode;
}

/** The search parameters of any page. */
function useParam(name: string): string | undefined {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const value = search[name];
  return typeof value === 'string' ? value : undefined;
}

const NO_QUERY = { queryKey: ['none'], queryFn: () => Promise.reject(new Error('disabled')) };

export function RecordSheet<T extends { id: string }>(props: RecordSheetProps<T>) {
  const { param = 'id', rows = [], single, title, busy = false, children } = props;
  const id = useParam(param);
  const navigate = useNavigate();
  const listed = rows.find((row) => row.id === id);
  const query = useQuery({
    ...((id !== undefined && single ? single(id) : NO_QUERY) as typeof NO_QUERY & {
      queryFn: () => Promise<never>;
    }),
    enabled: id !== undefined && single !== undefined && listed === undefined && props.rows !== undefined,
  });
  const record: T | undefined = listed ?? query.data;
  const select = (to: string | undefined) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, [param]: to }),
      replace: true,
    });
  return (
    <SideSheet
      opened={id !== undefined}
      record={record?.id === id ? record : undefined}
      ids={rows.map((row) => row.id)}
      title={title}
      onSelect={select}
      busy={busy}
      fallback={
        <Missing
          error={query.error}
          isUnlisted={!single && props.rows !== undefined}
          retry={() => void query.refetch()}
        />
      }
    >
      {children}
    </SideSheet>
  );
}

interface MissingProps {
  error: unknown;
  /** The rows are all there is, and it isn't among them. */
  isUnlisted: boolean;
  retry: () => void;
}

function Missing({ error, isUnlisted, retry }: MissingProps) {
  if (!error && !isUnlisted) return <LoadingList />;
  if (error && !isMissing(error)) return <FailedList error={error} retry={retry} />;
  return (
    <Stack py="md">
      <Text>{t('Not found. It may have been deleted, or its retention period has passed.')}</Text>
    </Stack>
  );
}
