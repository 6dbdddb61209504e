/** Shows who is typing. */
import { Text } from '@mantine/core';
import { plural, t } from '../../copy/text.ts';
import { type Typist, TYPING_LIKELY_MS } from '../../api/live-chats.ts';
import { useFromClock } from '../../design/time.ts';
import classes from './chats.module.css';
import { listNames, usePeople } from './people.ts';

export function TypingNow({ typists }: { typists: readonly Typist[] }) {
  const { many, getName } = usePeople();
  const text = useFromClock((now) => {
    const names = typists.filter(({ at }) => now - at < TYPING_LIKELY_MS).map((one) => getName(one.address));
    if (names.length === 0) return '';
    if (!many) return t('Typing…');
    return plural(
      names.length,
      { one: '{names} is typing…', other: '{names} are typing…' },
      { names: listNames(names) },
    );
  });
  if (text === '') return null;
  return (
    <Text size="xs" c="dimmed" className={classes.typing} dir="auto">
      {text}
    </Text>
  );
}
