/** Whether a list is live, and the button that pauses it. */
import { ActionIcon } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import type { StreamState } from '../../api/live-events.ts';
import { t } from '../../copy/text.ts';
import { StateDot, type Tone } from '../../design/StateDot.tsx';

const STATES: Record<StreamState, [tone: Tone, label: string]> = {
  connecting: ['idle', t('Connecting')],
  live: ['live', t('Live')],
  paused: ['idle', t('Paused')],
  retrying: ['warn', t('Reconnecting')],
  refused: ['bad', t('Not connected')],
};

export interface Live {
  state: StreamState;
  paused: boolean;
  /** Why the list isn't live although it isn't paused. */
  note?: string;
  onPause: (paused: boolean) => void;
}

export function LiveControl({ state, paused, note, onPause }: Live) {
  const [tone, label] =
    note !== undefined && !paused ? ['idle' as const, note] : STATES[paused ? 'paused' : state];
  const Icon = paused ? IconPlayerPlay : IconPlayerPause;
  return (
    <>
      <span role="status">
        <StateDot tone={tone}>{label}</StateDot>
      </span>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={paused ? t('Resume live updates') : t('Pause live updates')}
        data-tip={paused ? t('Resume') : t('Pause')}
        onClick={() => onPause(!paused)}
      >
        <Icon size={15} />
      </ActionIcon>
    </>
  );
}
