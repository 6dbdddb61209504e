import type { Instance } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { stateTone, stateWord } from './instance-text.ts';

/** The state of an instance as a colour and a word. */
export function InstanceState({ state }: Pick<Instance, 'state'>) {
  return <StateDot tone={stateTone(state)}>{stateWord(state)}</StateDot>;
}
