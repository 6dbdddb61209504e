/** Short values side by side, as names and addresses. */
import { Badge, Text } from '@mantine/core';
import classes from './ui.module.css';

/** @param none shown if there are no items */
export function Chips({ items, none }: { items: readonly string[]; none: string }) {
  if (items.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <span className={classes.chips}>
      {items.map((item) => (
        <Badge key={item} className={classes.mono}>
          {item}
        </Badge>
      ))}
    </span>
  );
}
