/** That somebody types, or several, for as long as that is likely. */
import { Text } from '@mantine/core';
import { type Typist, TYPING_LIKELY_MS } from '../../api/live-chats.ts';
import { useFromClock } from '../../ui/time.ts';
import classes from './chats.module.css';
import { listed, usePeople } from './people.ts';

export function TypingNow({ typists }: { typists: readonly Typist[] }) {
  const { many, nameOf } = usePeople();
  const said = useFromClock((now) => {
    const names = typists.filter(({ at }) => now - at < TYPING_LIKELY_MS).map((one) => nameOf(one.address));
    if (names.length === 0) return '';
    return many ? `${listed(names)} ${names.length === 1 ? 'is' : 'are'} typing…` : 'typing…';
  });
  if (said === '') return null;
  return (
    <Text size="xs" c="dimmed" className={classes.typing} dir="auto">
      {said}
    </Text>
  );
}
