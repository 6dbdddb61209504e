/** Columns of the request log. */
import { IconKey, IconUser } from '@tabler/icons-react';
import type { ApiRequest } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import atoms from '../../design/atoms.module.css';
import ui from '../../design/ui.module.css';
import type { Column } from '../../patterns/table/column.ts';
import { formatDuration } from '../../design/duration-text.ts';
import { API, statusTone } from './request-text.ts';
import classes from './requests.module.css';

export function StatusCode({ status }: { status: number }) {
  return <Status tone={statusTone(status)}>{status}</Status>;
}

/** The API key or person that sent a request. */
export function Sender({ actor }: { actor: ApiRequest['actor'] }) {
  const Icon = actor.type === 'api_key' ? IconKey : IconUser;
  return (
    <span className={classes.sender}>
      <Icon
        size={14}
        stroke={1.7}
        role="img"
        aria-label={actor.type === 'api_key' ? t('API key') : t('Person')}
      />
      <span>{actor.name}</span>
    </span>
  );
}

export const requestColumns: Column<ApiRequest>[] = [
  {
    key: 'status',
    title: t('Status'),
    fixed: true,
    width: 84,
    render: ({ status }) => <StatusCode status={status} />,
  },
  {
    key: 'operation',
    title: t('Operation'),
    fixed: true,
    render: (request) => (
      <div className={classes.operation}>
        <span className={ui.mono}>
          <b>{request.method}</b> <span className={atoms.wideOnly}>{API}</span>
          {request.route}
        </span>
        <span className={ui.mono}>{request.error_code ?? request.operation}</span>
      </div>
    ),
  },
  { key: 'actor', title: t('Sent by'), from: 'medium', render: ({ actor }) => <Sender actor={actor} /> },
  {
    key: 'address',
    title: t('IP address'),
    from: 'widest',
    render: ({ address }) => <span className={ui.mono}>{address}</span>,
  },
  {
    key: 'duration_ms',
    title: t('Duration'),
    align: 'right',
    from: 'medium',
    width: 100,
    render: ({ duration_ms: ms }) => formatDuration(ms),
  },
  {
    key: 'created_at',
    title: t('Time'),
    width: 140,
    sorted: true,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
