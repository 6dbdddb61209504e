/** Shows the health of an instance's connection; its status is next to the title. */
import { useQuery } from '@tanstack/react-query';
import { formatNumber, rich, t } from '../../copy/text.ts';
import { reconnectsQuery } from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { countUnprocessed, getAdvice, reasonLabel } from './instance-text.ts';
import ui from '../../design/ui.module.css';
import classes from './instance.module.css';

function Reconnects({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(reconnectsQuery(workspace.id, id));
  return (
    <Tile label={t('Disconnects')} note={t('Last 24 hours')}>
      {data ? `${formatNumber(data.count)}${data.more ? '+' : ''}` : '–'}
    </Tile>
  );
}

export function StatePanel({ instance }: { instance: Instance }) {
  const events = useCan('events:read');
  const { state, restriction, queue, last_error: error, connected_at: connectedAt } = instance;
  const up = state === 'connected' || state === 'restricted';
  // The notice below shows why it failed, and the pairing step shows the required action.
  const isExplained = state === 'failed' || state === 'action_required';
  const isErrorShown = error && getAdvice(instance)?.text.includes(error.detail);
  return (
    <section className={classes.health} aria-label={t('Health')}>
      <dl className={ui.readings}>
        <Tile label={t('Status changed')} note={!isExplained && reasonLabel(instance.state_reason)}>
          <RelativeTime at={instance.state_changed_at} />
        </Tile>
        <Tile
          label={up ? t('Connected') : t('Last connected')}
          note={restriction ? <Limit {...restriction} /> : ''}
        >
          <RelativeTime at={connectedAt} none={t('Never')} />
        </Tile>
        {events && <Reconnects id={instance.id} />}
        <Tile
          label={t('Queue')}
          note={
            queue.oldest_at === null
              ? t('Empty')
              : rich('Oldest: <time></time>', { time: () => <RelativeTime at={queue.oldest_at} /> })
          }
        >
          {formatNumber(queue.length)}
        </Tile>
        {instance.unprocessed_updates.count > 0 && (
          <Tile label={t('Unprocessed updates')} note={t('Listed below')}>
            {countUnprocessed(instance)}
          </Tile>
        )}
        <Tile label={t('Last error')} note={!isErrorShown && error?.detail}>
          <RelativeTime at={error?.at ?? null} none={t('None')} />
        </Tile>
      </dl>
    </section>
  );
}

function Limit({ kind, until }: NonNullable<Instance['restriction']>) {
  const values = { kind: kind.replaceAll('_', ' ') };
  if (until === null) return t('Limited by the channel ({kind})', values);
  return rich(
    'Limited by the channel ({kind}). Ends <time></time>',
    { time: () => <RelativeTime at={until} /> },
    values,
  );
}

interface TileProps {
  label: string;
  note: React.ReactNode;
  children: React.ReactNode;
}

function Tile({ label, note, children }: TileProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
      <dd className={`${ui.readingNote} ${classes.note}`}>{note}</dd>
    </div>
  );
}
