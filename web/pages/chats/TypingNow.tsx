/** That somebody types, for as long as that is likely. */
import { Text } from '@mantine/core';
import type { Typist } from '../../api/live-chats.ts';
import { useFromClock } from '../../ui/time.ts';
import classes from './chats.module.css';

/** Not every channel tells that somebody has stopped. */
const LIKELY_MS = 10_000;

export function TypingNow({ typist, named }: { typist: Typist; named: boolean }) {
  const isLikely = useFromClock((now) => now - typist.at < LIKELY_MS);
  if (!isLikely) return null;
  return (
    <Text size="xs" c="dimmed" className={classes.typing}>
      {named ? `${typist.address} is typing…` : 'typing…'}
    </Text>
  );
}
