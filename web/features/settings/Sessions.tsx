/** The user's sessions, with a button to sign out of each. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconDeviceLaptop, IconDeviceMobile } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { rich, t } from '../../copy/text.ts';
import { auth, sessionsQuery, type Session } from '../../api/auth.ts';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { Section } from './Section.tsx';
import classes from './settings.module.css';
import { getBrowser } from './user-agent.ts';

export function Sessions() {
  const queryClient = useQueryClient();
  const { data, error, isPending, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (id: string | null) => (id === null ? auth.revokeOtherSessions() : auth.revokeSession(id)),
    onSuccess: () => notifyDone(t('Session signed out')),
    onError: notifyFailed,
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  });
  const others = data?.some(({ current }) => !current) ?? false;
  return (
    <Section title={t('Sessions')} description={t("Browsers where you're signed in.")}>
      {isPending && <LoadingList label={t('Loading sessions')} />}
      {error && !data && <FailedList error={error} retry={() => void refetch()} />}
      {data && (
        <ul className={classes.sessions}>
          {data.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
          ))}
        </ul>
      )}
      {others && (
        <Group>
          <Button variant="default" onClick={() => end.mutate(null)} loading={end.isPending}>
            {t('Sign out other sessions')}
          </Button>
        </Group>
      )}
    </Section>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { name, mobile } = getBrowser(session.user_agent);
  const Icon = mobile ? IconDeviceMobile : IconDeviceLaptop;
  return (
    <li className={classes.session}>
      <Icon size={20} stroke={1.5} aria-hidden />
      <div className={atoms.rest}>
        <Text fw={500} title={session.user_agent ?? undefined}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {rich(
            '<ip>{ip}</ip>, signed in',
            { ip: (words) => <span className={ui.mono}>{words}</span> },
            { ip: session.ip ?? t('unknown address') },
          )}{' '}
          <RelativeTime at={session.created_at} />
        </Text>
      </div>
      {session.current ? (
        <Text size="xs" c="dimmed">
          {t('This browser')}
        </Text>
      ) : (
        <Button size="compact-xs" variant="subtle" color="red" onClick={onEnd}>
          {t('Sign out')}
        </Button>
      )}
    </li>
  );
}
