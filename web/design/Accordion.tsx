/** Fields that are folded away until they are wanted, or wrong. */
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import classes from './ui.module.css';

interface AccordionProps {
  title: string;
  /** A short summary of the contents. */
  note?: string;
  /** Whether it is open at first. */
  opened?: boolean;
  /** Something in it is wrong: it can't stay closed. */
  faulty?: boolean;
  children: React.ReactNode;
}

export function Accordion({ title, note, opened: first = false, faulty = false, children }: AccordionProps) {
  const [opened, setOpened] = useState(first);
  const shown = opened || faulty;
  const id = useId();
  const Chevron = shown ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        onClick={() => setOpened(!shown)}
        aria-expanded={shown}
        aria-controls={id}
      >
        <Chevron size={14} /> {title}
        {note && <span>{note}</span>}
      </UnstyledButton>
      <div id={id} className={classes.foldBody} hidden={!shown}>
        {shown && children}
      </div>
    </div>
  );
}
