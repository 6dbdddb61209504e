/** The state of an account, large, and the health of its connection. */
import { useQuery } from '@tanstack/react-query';
import { reconnectsQuery } from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { reasonWord } from '../channels/instance-text.ts';
import { InstanceState } from '../channels/InstanceState.tsx';
import classes from './channel.module.css';

const count = new Intl.NumberFormat('en');

function StateNote({ instance }: { instance: Instance }) {
  const { state_reason: reason, state_changed_at: at } = instance;
  // The step of pairing is told right below.
  const why = instance.state === 'action_required' ? null : reasonWord(reason);
  return (
    <>
      since <RelativeTime at={at} />
      {why && ` · ${why}`}
    </>
  );
}

function Reconnects({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(reconnectsQuery(workspace.id, id));
  return (
    <Tile label="Connection lost" note="in the last 24 hours">
      {data ? `${count.format(data.count)}${data.more ? '+' : ''}×` : '–'}
    </Tile>
  );
}

export function StatePanel({ instance }: { instance: Instance }) {
  const events = useCan('events:read');
  const { state, restriction, queue, last_error: error, connected_at: connectedAt } = instance;
  const up = state === 'connected' || state === 'restricted';
  return (
    <section className={classes.health} aria-label="Health">
      <div className={classes.state} role="status">
        <span>State</span>
        <div className={classes.large}>
          <InstanceState state={state} />
        </div>
        <div className={classes.note}>
          <StateNote instance={instance} />
        </div>
      </div>
      <dl>
        <Tile
          label={up ? 'Connected' : 'Last connected'}
          note={restriction ? <Limit {...restriction} /> : ''}
        >
          <RelativeTime at={connectedAt} none="never" />
        </Tile>
        {events && <Reconnects id={instance.id} />}
        <Tile
          label="Queue"
          note={
            queue.oldest_at === null ? (
              'nothing waits'
            ) : (
              <>
                oldest <RelativeTime at={queue.oldest_at} />
              </>
            )
          }
        >
          {count.format(queue.length)}
        </Tile>
        <Tile label="Last error" note={error ? error.detail : 'none so far'}>
          <RelativeTime at={error?.at ?? null} />
        </Tile>
      </dl>
    </section>
  );
}

function Limit({ kind, until }: NonNullable<Instance['restriction']>) {
  return (
    <>
      limited by the channel ({kind.replaceAll('_', ' ')})
      {until !== null && (
        <>
          {' until '}
          <RelativeTime at={until} />
        </>
      )}
    </>
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
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}
