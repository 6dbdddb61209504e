/** Recent failures and recent events, each with a link to its object. */
import { Text, Title } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ApiRequest, EventObject } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { EventObjectName } from '../events/EventObjectName.tsx';
import { eventObjectLink } from '../events/object-link.ts';
import classes from './dashboard.module.css';

const MAX_ROWS = 8;

interface Row {
  id: string;
  name: string;
  note: React.ReactNode;
  at: string;
  link: LinkProps;
}

const requestRow = (workspace: string, request: ApiRequest): Row => ({
  id: request.id,
  name: `${request.method} ${request.route}`,
  note: `${request.status} ${request.error_code ?? ''}`,
  at: request.created_at,
  link: {
    to: '/w/$workspace/requests',
    params: { workspace },
    search: { errors: true, id: request.id },
  },
});

const eventLink = (workspace: string, { id }: EventObject): LinkProps => ({
  to: '/w/$workspace/events/$id',
  params: { workspace, id },
});

/** Returns the error code of an object that failed. */
function errorCode({ data }: EventObject): string | undefined {
  interface Failable {
    error?: { code?: string } | null;
  }
  const { error, results } = (data as { object?: Failable & { results?: Failable[] } }).object ?? {};
  return (error ?? results?.find((one) => one.error)?.error)?.code;
}

function EventNote({ event }: { event: EventObject }) {
  const code = errorCode(event);
  return (
    <>
      <EventObjectName event={event} />
      {code !== undefined && ` · ${code}`}
    </>
  );
}

const eventRow = (workspace: string, event: EventObject, toObject: boolean): Row => ({
  id: event.id,
  name: event.type,
  note: <EventNote event={event} />,
  at: event.created_at,
  link: (toObject && eventObjectLink(workspace, event)) || eventLink(workspace, event),
});

interface RecentProps {
  requests: readonly ApiRequest[] | undefined;
  failures: readonly EventObject[] | undefined;
}

/** Failed requests, messages, publications and rules, newest first. */
export function RecentFailures({ requests, failures }: RecentProps) {
  const { workspace, scopes } = useWorkspace();
  const rows = [
    ...(requests ?? []).map((request) => requestRow(workspace.slug, request)),
    ...(failures ?? []).map((event) => eventRow(workspace.slug, event, false)),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return (
    <section>
      <Head title={t('Recent failures')}>
        {scopes.includes('audit:read') && (
          <TextLink
            to="/w/$workspace/requests"
            params={{ workspace: workspace.slug }}
            search={{ errors: true }}
          >
            {t('View failed requests')}
          </TextLink>
        )}
      </Head>
      <Rows rows={rows} none={t('No failed messages, automations or requests of API keys.')} failed />
    </section>
  );
}

export function RecentEvents({ events }: { events: readonly EventObject[] | undefined }) {
  const { workspace } = useWorkspace();
  return (
    <section>
      <Head title={t('Recent events')}>
        <TextLink to="/w/$workspace/events" params={{ workspace: workspace.slug }}>
          {t('View all events')}
        </TextLink>
      </Head>
      <Rows
        rows={(events ?? []).map((event) => eventRow(workspace.slug, event, true))}
        none={t('No events yet.')}
      />
    </section>
  );
}

interface RowsProps {
  rows: readonly Row[];
  none: string;
  /** All rows are failures. */
  failed?: boolean;
}

function Rows({ rows, none, failed = false }: RowsProps) {
  if (rows.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <ul className={classes.rows}>
      {rows.slice(0, MAX_ROWS).map(({ id, name, note, at, link }) => (
        <li key={id}>
          <Link {...(link as { to: '.' })} className={`${classes.row} ${failed ? classes.failed : ''}`}>
            <span className={`${ui.mono} ${classes.rowName}`}>{name}</span>
            <span className={classes.rowNote}>{note}</span>
            <RelativeTime at={at} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function Head({ title, children }: { title: string; children?: React.ReactNode }) {
  return (
    <div className={classes.head}>
      <Title order={2}>{title}</Title>
      {children}
    </div>
  );
}
