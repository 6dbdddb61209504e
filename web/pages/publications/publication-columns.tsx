/** Columns of the log of publications. */
import { Text } from '@mantine/core';
import type { Publication } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Id } from '../../ui/Id.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { arrivedOf, faultLine, sourceWord } from './publication-text.ts';
import { PublicationState } from './PublicationState.tsx';
import classes from './publications.module.css';

/** @param nameOf the endpoint's name, where the log is of all of them */
export const publicationColumns = (nameOf: ((id: string) => string) | null): Column<Publication>[] => [
  {
    key: 'status',
    title: 'Status',
    render: (publication) => (
      <>
        <PublicationState publication={publication} />
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            <RelativeTime at={publication.created_at} />
          </Text>
        </div>
      </>
    ),
  },
  ...(nameOf === null
    ? []
    : [
        {
          key: 'endpoint',
          title: 'Endpoint',
          render: ({ endpoint_id: id }: Publication) => (
            <Text truncate className={classes.name} dir="auto">
              {nameOf(id)}
            </Text>
          ),
        },
      ]),
  {
    key: 'arrived',
    title: 'Sent',
    width: 88,
    render: (publication) => arrivedOf(publication) ?? <Text c="dimmed">–</Text>,
  },
  {
    key: 'why',
    title: 'What was wrong, or when',
    from: 'wide',
    render: (publication) => <Note publication={publication} />,
  },
  {
    key: 'source',
    title: 'By',
    from: 'wide',
    render: (publication) => sourceWord(publication),
  },
  { key: 'id', title: 'Publication', from: 'widest', render: ({ id }) => <Id id={id} short /> },
  {
    key: 'created_at',
    title: 'Received',
    from: 'medium',
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

function Note({ publication }: { publication: Publication }) {
  const fault = faultLine(publication);
  if (fault !== null)
    return (
      <Text truncate className={classes.note} title={fault}>
        {fault}
      </Text>
    );
  if (publication.status === 'scheduled')
    return (
      <Text c="dimmed">
        <RelativeTime at={publication.scheduled_at} />
      </Text>
    );
  return <Text c="dimmed">–</Text>;
}
