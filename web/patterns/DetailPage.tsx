/** The page of one record: a way back to its list, loading and error states, header, status and actions. */
import type { LinkProps } from '@tanstack/react-router';
import { Group } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { t } from '../copy/text.ts';
import { TextLink } from '../design/links.tsx';
import { PageHeader } from '../design/PageHeader.tsx';
import { FailedList, LoadingList } from './ListStates.tsx';
import classes from './detail-page.module.css';

export interface Back {
  /** Title of the list. */
  label: string;
  link: LinkProps;
}

interface DetailPageProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  /** Title while the record loads, or is missing: "Webhook". */
  noun: string;
  back: Back;
  children: (record: T) => React.ReactNode;
}

export function DetailPage<T>({ query, noun, back, children }: DetailPageProps<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
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
  title: string;
  /** A `Status`. */
  status?: React.ReactNode;
  /** Small controls beside the title, such as copying it. */
  beside?: React.ReactNode;
  description?: React.ReactNode;
  /** `ActionButtons` and the like. */
  children?: React.ReactNode;
}

export function DetailHeader({ back, title, status, beside, description, children }: DetailHeaderProps) {
  return (
    <>
      <TextLink {...(back.link as object)} to={back.link.to ?? '.'} className={classes.back}>
        <IconChevronLeft size={14} aria-hidden />
        {back.label}
      </TextLink>
      <PageHeader
        title={title}
        description={description}
        {...((status || beside) && {
          beside: (
            <Group gap={8} wrap="nowrap">
              {beside}
              {status}
            </Group>
          ),
        })}
      >
        {children}
      </PageHeader>
    </>
  );
}
