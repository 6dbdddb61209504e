/** One line on channels, where there are any: it says that all is well, or which need somebody. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconArrowRight } from '@tabler/icons-react';
import { instancesQuery } from '../../api/instances.ts';
import type { Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import classes from './dashboard.module.css';

type State = Instance['state'];
type Said = { tone: 'good' | 'warn' | 'bad' | 'idle'; text: string; state?: State };

const channels = (number: number): string => (number === 1 ? '1 channel' : `${number} channels`);

/** The worst first. */
const TROUBLE: [State, Said['tone'], string][] = [
  ['failed', 'bad', 'failed to connect'],
  ['action_required', 'warn', 'to be paired'],
  ['restricted', 'warn', 'limited by the channel'],
  ['reconnecting', 'warn', 'reconnecting'],
];

function saidOf(instances: readonly Instance[]): Said {
  const many = (state: State) => instances.filter((one) => one.state === state).length;
  const found = TROUBLE.find(([state]) => many(state) > 0);
  if (found) return { tone: found[1], text: `${channels(many(found[0]))} ${found[2]}`, state: found[0] };
  const connected = many('connected');
  return connected > 0
    ? { tone: 'good', text: `${channels(connected)} connected` }
    : { tone: 'idle', text: `${channels(instances.length)}, none connected` };
}

export function ChannelLine() {
  const { workspace } = useWorkspace();
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  if (instances.length === 0) return null;
  const { tone, text, state } = saidOf(instances);
  return (
    <Link
      to="/w/$workspace/channels"
      params={{ workspace: workspace.slug }}
      search={state === undefined ? {} : { state }}
      className={classes.line}
    >
      <StateDot tone={tone}>{text}</StateDot>
      <IconArrowRight size={16} />
    </Link>
  );
}
