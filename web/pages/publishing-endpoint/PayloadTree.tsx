/** JSON whose values can be clicked: a click puts the value's place into the template that is being written. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import ui from '../../ui/ui.module.css';
import { liquidPath, type PathPart } from './insertion.ts';
import classes from './payload-tree.module.css';

export type OnPick = (parts: readonly PathPart[], isList: boolean) => void;

interface PayloadTreeProps {
  /** Name of the variable that it is the value of: `payload`. */
  root: string;
  value: unknown;
  onPick: OnPick;
}

/** Entries of one object or list that are shown at first. */
const SHOWN = 40;
/** Deeper ones are folded at first. */
const OPEN_DEPTH = 3;
const LONGEST = 80;

export function PayloadTree({ root, value, onPick }: PayloadTreeProps) {
  return (
    <ul className={classes.tree} aria-label={`Values of ${root}`}>
      <Node parts={[root]} name={null} value={value} depth={0} onPick={onPick} />
    </ul>
  );
}

interface NodeProps {
  parts: readonly PathPart[];
  name: PathPart | null;
  value: unknown;
  depth: number;
  onPick: OnPick;
}

function Node(props: NodeProps) {
  const { parts, name, value, onPick } = props;
  if (typeof value === 'object' && value !== null) return <Branch {...props} value={value} />;
  return (
    <li>
      <Pick parts={parts} isList={false} onPick={onPick}>
        {name !== null && <span className={ui.key}>{name}: </span>}
        <Leaf value={value} />
      </Pick>
    </li>
  );
}

function Branch({ parts, name, value, depth, onPick }: NodeProps & { value: object }) {
  const [opened, setOpened] = useState(depth < OPEN_DEPTH);
  const [all, setAll] = useState(false);
  const isList = Array.isArray(value);
  const entries: [PathPart, unknown][] = isList
    ? value.map((one: unknown, nth) => [nth, one])
    : Object.entries(value);
  const shown = all ? entries : entries.slice(0, SHOWN);
  const count = isList ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <li>
      <span className={classes.head}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={opened}
          aria-label={`${opened ? 'Fold' : 'Unfold'} ${liquidPath(parts)}`}
          onClick={() => setOpened(!opened)}
        >
          {opened ? '▾' : '▸'}
        </UnstyledButton>
        <Pick parts={parts} isList={isList} onPick={onPick}>
          <span className={ui.key}>{name ?? liquidPath(parts)}</span>
          <span className={classes.count}> {count}</span>
        </Pick>
      </span>
      {opened && (
        <ul>
          {shown.map(([key, one]) => (
            <Node
              key={key}
              parts={[...parts, key]}
              name={key}
              value={one}
              depth={depth + 1}
              onPick={onPick}
            />
          ))}
          {shown.length < entries.length && (
            <li>
              <UnstyledButton className={classes.more} onClick={() => setAll(true)}>
                {entries.length - shown.length} more
              </UnstyledButton>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

interface PickProps {
  parts: readonly PathPart[];
  isList: boolean;
  onPick: OnPick;
  children: React.ReactNode;
}

function Pick({ parts, isList, onPick, children }: PickProps) {
  const path = liquidPath(parts);
  return (
    <UnstyledButton
      className={classes.pick}
      data-tip={isList ? `Loop over ${path}` : `{{ ${path} }}`}
      // The cursor stays where it is in the template.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onPick(parts, isList)}
    >
      <VisuallyHidden>{`Insert ${path}: `}</VisuallyHidden>
      {children}
    </UnstyledButton>
  );
}

function Leaf({ value }: { value: unknown }) {
  const json = JSON.stringify(value) ?? 'null';
  const isCut = json.length > LONGEST;
  return (
    <span className={typeof value === 'string' ? ui.string : ui.literal}>
      {isCut ? `${json.slice(0, LONGEST).toWellFormed()}…` : json}
    </span>
  );
}
