/** The page of one record: a way back to its list, loading and error states, header, status and actions. */
import type { LinkProps } from '@tanstack/react-router';
import { Group } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { isMissing } from '../api/problem.ts';
import { t } from '../copy/text.ts';
import { TextLink } from '../design/links.tsx';
import { PageHeader } from '../design/PageHeader.tsx';
import { FailedList, LoadingList } from './ListStates.tsx';
import { RecordMissing } from './PageStates.tsx';
import classes from './detail-page.module.css';

interface Back {
  /** Title of the list. */
  label: string;
  /** Its address, in the workspace that is shown. */
  to: LinkProps['to'] & string;
}

interface DetailPageProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  /** Title while the record loads, or is missing: "Webhook". */
  noun: string;
  back: Back;
  /** Shows no record that could not be read again: it is followed live, and is in the cache after its deletion. */
  live?: boolean;
  children: (record: T) => React.ReactNode;
}

export function DetailPage<T>({ query, noun, back, live = false, children }: DetailPageProps<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined && !(live && error)) return children(data);
  if (isMissing(error)) return <RecordMissing noun={noun} back={back} requestId={error.requestId} />;
  return (
    <>
      <DetailHeader back={back} title={noun} />
      {error ? (
        <FailedList error={error} retry={() => void refetch()} />
      ) : (
        <LoadingList label={t('Loading {noun}', { noun: noun.toLowerCase() })} />
      )}
    </>
  );
}

interface DetailHeaderProps {
  back: Back;
  /** A picture before the title. */
  mark?: React.ReactNode;
  title: string;
  /** A `Status`. */
  status?: React.ReactNode;
  /** Small controls beside the title, such as copying it. */
  beside?: React.ReactNode;
  description?: React.ReactNode;
  /** `ActionButtons` and the like. */
  children?: React.ReactNode;
}

export function DetailHeader(props: DetailHeaderProps) {
  const { back, mark, title, status, beside, description, children } = props;
  const header = (
    <PageHeader
      title={title}
      description={description}
      {...((status || beside) && {
        beside: (
          <Group gap={10} wrap="nowrap">
            {beside}
            {status}
          </Group>
        ),
      })}
    >
      {children}
    </PageHeader>
  );
  return (
    <>
      <TextLink to={back.to} className={classes.back}>
        <IconChevronLeft size={14} aria-hidden />
        {back.label}
      </TextLink>
      {mark ? (
        <div className={classes.marked}>
          {mark}
          {header}
        </div>
      ) : (
        header
      )}
    </>
  );
}
