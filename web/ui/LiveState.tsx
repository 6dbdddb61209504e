/** Whether a list follows what happens, and the button that stops it for a while. */
import { Button, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { StateDot } from './StateDot.tsx';

interface LiveStateProps {
  paused: boolean;
  onPause: (paused: boolean) => void;
  tone: ComponentProps<typeof StateDot>['tone'];
  /** In a word or two. */
  said: string;
}

export function LiveState({ paused, onPause, tone, said }: LiveStateProps) {
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        onClick={() => onPause(!paused)}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Text component="div" c="dimmed" role="status">
        <StateDot tone={tone}>{said}</StateDot>
      </Text>
    </>
  );
}
