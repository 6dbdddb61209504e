/** What happens in the workspace at a glance: who called last, what changed last, where to go on. */
import { Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  IconArrowRight,
  IconBook2,
  IconBroadcast,
  IconBrowserShare,
  IconPlugConnected,
  IconSparkles,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { eventsQuery } from '../../api/events.ts';
import type { ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { TextLink } from '../../ui/links.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { UsageTiles } from './UsageTiles.tsx';
import { ChannelLine } from './ChannelLine.tsx';
import { WebhookLine } from './WebhookLine.tsx';
import classes from './dashboard.module.css';

const SHOWN = 8;

export function Dashboard({ keys }: { keys: ApiKey[] }) {
  const { workspace, scopes } = useWorkspace();
  const params = { workspace: workspace.slug };
  const called = keys
    .filter(({ last_used_at }) => last_used_at !== null)
    .toSorted((a, b) => Date.parse(b.last_used_at ?? '') - Date.parse(a.last_used_at ?? ''));
  const next = [
    {
      to: '/w/$workspace/your-site',
      scope: 'api_keys:write',
      icon: IconBrowserShare,
      title: 'Use it from your own site',
      text: 'A key for the browser, a snippet, a live check.',
    },
    {
      to: '/w/$workspace/channels',
      scope: 'instances:write',
      icon: IconPlugConnected,
      title: 'Connect a channel',
      text: 'Messages from and to an account of yours.',
    },
    {
      to: '/w/$workspace/webhooks',
      scope: 'webhooks:write',
      icon: IconWebhook,
      title: 'Be told by a webhook',
      text: 'Each event, signed, to a server of yours.',
    },
    {
      to: '/w/$workspace/publishing',
      scope: 'publishing:write',
      icon: IconBroadcast,
      title: 'Publish what others post',
      text: 'A shop, GitHub or a form: its posts become messages.',
    },
    {
      to: '/w/$workspace/models',
      scope: 'models:read',
      icon: IconSparkles,
      title: 'Try a model',
      text: 'Chat with it here, then copy the call.',
    },
    {
      to: '/w/$workspace/members',
      scope: 'members:write',
      icon: IconUsers,
      title: 'Invite your team',
      text: 'By mail or a link to copy, with a role.',
    },
  ] as const;
  return (
    <>
      {scopes.includes('usage:read') && <UsageTiles />}
      {scopes.includes('instances:read') && <ChannelLine />}
      {scopes.includes('webhooks:read') && <WebhookLine />}
      <div className={classes.columns}>
        {called.length > 0 && (
          <section>
            <Head title="Latest calls">
              <TextLink to="/w/$workspace/api-keys" params={params}>
                All keys
              </TextLink>
            </Head>
            <ul className={classes.rows}>
              {called.slice(0, SHOWN).map((key) => (
                <li key={key.id}>
                  <Link
                    to="/w/$workspace/api-keys"
                    params={params}
                    search={{ id: key.id }}
                    className={classes.row}
                  >
                    <span className={classes.rowName}>{key.name}</span>
                    <span className={`${ui.mono} ${classes.rowNote}`}>{key.last_used_operation}</span>
                    <RelativeTime at={key.last_used_at} />
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        {scopes.includes('events:read') && <LatestEvents />}
      </div>
      <section>
        <Head title="Go on" />
        <div className={classes.cards}>
          {next
            .filter(({ scope }) => scopes.includes(scope))
            .map(({ to, icon: Icon, title, text }) => (
              <Link key={to} to={to} params={params} className={classes.card}>
                <Icon size={20} stroke={1.6} />
                <span>
                  <strong>{title}</strong>
                  <span>{text}</span>
                </span>
                <IconArrowRight size={16} />
              </Link>
            ))}
          <a href="/docs" target="_blank" rel="noreferrer" className={classes.card}>
            <IconBook2 size={20} stroke={1.6} />
            <span>
              <strong>API reference</strong>
              <span>Every operation, with cURL to copy.</span>
            </span>
            <IconArrowRight size={16} />
          </a>
        </div>
      </section>
    </>
  );
}

function LatestEvents() {
  const { workspace } = useWorkspace();
  const params = { workspace: workspace.slug };
  const { data, error, isPending, refetch } = useInfiniteQuery(eventsQuery(workspace.id, {}));
  return (
    <section>
      <Head title="Latest events">
        <TextLink to="/w/$workspace/events" params={params}>
          All events
        </TextLink>
      </Head>
      {isPending && <LoadingList label="Loading events" />}
      {error && !data && <FailedList error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <Text c="dimmed">Nothing has happened yet.</Text>}
      <ul className={classes.rows}>
        {data?.slice(0, SHOWN).map((event) => (
          <li key={event.id}>
            <Link to="/w/$workspace/events" params={params} search={{ id: event.id }} className={classes.row}>
              <span className={`${ui.mono} ${classes.rowName}`}>{event.type}</span>
              <span className={classes.rowNote}>#{event.sequence}</span>
              <RelativeTime at={event.created_at} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Head({ title, children }: { title: string; children?: React.ReactNode }) {
  return (
    <div className={classes.head}>
      <Title order={2}>{title}</Title>
      {children}
    </div>
  );
}
