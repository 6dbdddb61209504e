/** Columns of the publication log. */
import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Publication } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { Id } from '../../design/Id.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { deliveredCount, firstError, sourceLabel } from './publication-text.ts';
import { PublicationState } from './PublicationState.tsx';
import classes from './publications.module.css';

/** @param getEndpointName null in the log of a single endpoint */
export const publicationColumns = (
  getEndpointName: ((id: string) => React.ReactNode) | null,
): Column<Publication>[] => [
  {
    key: 'status',
    fixed: true,
    title: t('Status'),
    render: (publication) => (
      <>
        <PublicationState publication={publication} />
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            <RelativeTime at={publication.created_at} /> · {sourceLabel(publication)}
          </Text>
          {hasNote(publication) && <Note publication={publication} />}
        </div>
      </>
    ),
  },
  ...(getEndpointName === null
    ? []
    : [
        {
          key: 'endpoint',
          title: t('Endpoint'),
          render: ({ endpoint_id: id }: Publication) => (
            <Text truncate className={classes.name} dir="auto">
              {getEndpointName(id)}
            </Text>
          ),
        },
      ]),
  {
    key: 'delivered',
    title: t('Sent'),
    width: 88,
    render: (publication) => deliveredCount(publication) ?? <Text c="dimmed">–</Text>,
  },
  {
    key: 'details',
    title: t('Details'),
    from: 'wide',
    render: (publication) => <Note publication={publication} />,
  },
  {
    key: 'source',
    title: t('Source'),
    from: 'wide',
    render: (publication) => sourceLabel(publication),
  },
  { key: 'id', title: t('Publication'), from: 'widest', render: ({ id }) => <Id id={id} short /> },
  {
    key: 'created_at',
    title: t('Received'),
    from: 'medium',
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

const hasNote = (publication: Publication) =>
  firstError(publication) !== null || publication.status === 'scheduled';

function Note({ publication }: { publication: Publication }) {
  const error = firstError(publication);
  if (error !== null)
    return (
      <Text truncate className={classes.note} title={error}>
        {error}
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
