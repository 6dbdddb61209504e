/** The text field for a message. In groups, an @ opens a list of participants to mention. */
import { Textarea, type TextareaProps } from '@mantine/core';
import { type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import atoms from '../../design/atoms.module.css';
import classes from './chats.module.css';
import { getMentionQuery, getSuggestions, insertMention } from './mentioning.ts';
import { type Person, usePeople } from './people.ts';

interface MentionFieldProps extends Omit<TextareaProps, 'value' | 'onChange'> {
  field: RefObject<HTMLTextAreaElement | null>;
  value: string;
  onWrite: (text: string) => void;
}

export function MentionField({ field, value, onWrite, onKeyDown, ...rest }: MentionFieldProps) {
  const { others } = usePeople();
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  /** The query for which the list was closed. */
  const [closed, setClosed] = useState<string | null>(null);
  const goTo = useRef<number | null>(null);
  const query = others.length > 0 ? getMentionQuery(value, caret) : null;
  const found = query === null || query === closed ? [] : getSuggestions(query, others);
  const at = Math.min(active, found.length - 1);
  // Runs before the next key event, which may follow immediately.
  useLayoutEffect(() => {
    if (goTo.current === null) return;
    field.current?.setSelectionRange(goTo.current, goTo.current);
    goTo.current = null;
  });
  const follow = ({ currentTarget }: { currentTarget: HTMLTextAreaElement }) =>
    setCaret(currentTarget.selectionStart);
  const choose = (person: Person) => {
    const written = insertMention(value, caret, query ?? '', person);
    goTo.current = written.caret;
    setCaret(written.caret);
    onWrite(written.text);
    field.current?.focus();
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => setActive((at + 1) % found.length),
    ArrowUp: () => setActive((at + found.length - 1) % found.length),
    Enter: () => found[at] && choose(found[at]),
    Tab: () => found[at] && choose(found[at]),
    Escape: () => setClosed(query),
  };
  return (
    <div className={`${classes.field} ${atoms.rest}`}>
      {found.length > 0 && (
        <div className={classes.offer} id={id} role="listbox" aria-label={t('People to mention')}>
          {found.map((person, nth) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field has the focus and handles the keys
            <div
              key={person.address}
              id={`${id}-${nth}`}
              role="option"
              aria-selected={nth === at}
              className={classes.offered}
              title={person.address}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(person)}
            >
              <PersonMark name={person.name} address={person.address} size={20} />
              <span dir="auto">{person.name}</span>
            </div>
          ))}
        </div>
      )}
      <Textarea
        ref={field}
        value={value}
        aria-autocomplete={others.length > 0 ? 'list' : undefined}
        aria-controls={found.length > 0 ? id : undefined}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        onChange={({ currentTarget }) => {
          setCaret(currentTarget.selectionStart);
          setActive(0);
          setClosed(null);
          onWrite(currentTarget.value);
        }}
        onSelect={follow}
        // The caret alone moves without a `select`.
        onKeyUp={follow}
        onClick={follow}
        onKeyDown={(event) => {
          const act = found.length > 0 && !event.nativeEvent.isComposing ? keys[event.key] : undefined;
          if (!act || event.shiftKey) return onKeyDown?.(event);
          event.preventDefault();
          act();
        }}
        {...rest}
      />
    </div>
  );
}
