import type { Instance } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import { stateTone, stateLabel } from './instance-text.ts';

/** Shows the state of an instance as a pill. */
export function InstanceState({ state }: Pick<Instance, 'state'>) {
  return <Status tone={stateTone(state)}>{stateLabel(state)}</Status>;
}
