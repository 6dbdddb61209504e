/** A JSON tree. Clicking a value inserts its path into the focused template. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useContext, useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { formatNumber, t } from '../../copy/text.ts';
import { isObject } from '../../api/exact-json.ts';
import ui from '../../design/ui.module.css';
import { liquidPath, type PathPart } from './insertion.ts';
import classes from './payload-tree.module.css';
import { PickPath } from './scope.ts';

interface PayloadTreeProps {
  /** Name of the template variable, such as `payload`. */
  root: string;
  value: unknown;
}

/** Entries of an object or list shown initially. */
const MAX_SHOWN = 40;
/** Objects with more entries show those that are null on demand. */
const MAX_WITH_NULLS = 12;
/** Deeper levels are collapsed initially. */
const OPEN_DEPTH = 4;
const MAX_LENGTH = 80;

export function PayloadTree({ root, value }: PayloadTreeProps) {
  return (
    <ul className={classes.tree} aria-label={t('{root} values', { root })}>
      <Node parts={[root]} name={null} value={value} depth={0} />
    </ul>
  );
}

interface NodeProps {
  parts: readonly PathPart[];
  name: PathPart | null;
  value: unknown;
  depth: number;
}

function Node(props: NodeProps) {
  const { parts, name, value } = props;
  if (isObject(value)) return <Branch {...props} value={value} />;
  return (
    <li>
      <Pick parts={parts} isList={false}>
        <span className={ui.key}>{name ?? liquidPath(parts)}: </span>
        <Leaf value={value} />
      </Pick>
    </li>
  );
}

function Branch({ parts, name, value, depth }: NodeProps & { value: object }) {
  const [opened, setOpened] = useState(depth < OPEN_DEPTH);
  const [all, setAll] = useState(false);
  const isList = Array.isArray(value);
  const entries: [PathPart, unknown][] = isList
    ? value.map((one: unknown, index) => [index, one])
    : Object.entries(value);
  const isLong = !isList && entries.length > MAX_WITH_NULLS;
  const first = isLong ? entries.filter(([, one]) => one !== null) : entries;
  const shown = all ? entries : first.slice(0, MAX_SHOWN);
  const count = isList ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <li>
      <span className={classes.head}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={opened}
          aria-label={
            opened
              ? t('Collapse {path}', { path: liquidPath(parts) })
              : t('Expand {path}', { path: liquidPath(parts) })
          }
          onClick={() => setOpened(!opened)}
        >
          {opened ? '▾' : '▸'}
        </UnstyledButton>
        <Pick parts={parts} isList={isList}>
          <span className={ui.key}>{name ?? liquidPath(parts)}</span>
          <span className={atoms.dimmed}> {count}</span>
        </Pick>
      </span>
      {opened && (
        <ul>
          {shown.map(([key, one]) => (
            <Node key={key} parts={[...parts, key]} name={key} value={one} depth={depth + 1} />
          ))}
          {shown.length < entries.length && (
            <li>
              <UnstyledButton className={classes.more} onClick={() => setAll(true)}>
                {t('{count} more', { count: formatNumber(entries.length - shown.length) })}
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
  children: React.ReactNode;
}

function Pick({ parts, isList, children }: PickProps) {
  const path = liquidPath(parts);
  const pick = useContext(PickPath);
  return (
    <UnstyledButton
      className={classes.pick}
      data-tip={isList ? t('Loop over {path}', { path }) : `{{ ${path} }}`}
      // Keeps the cursor in the template field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => pick(parts, isList)}
    >
      <VisuallyHidden>{t('Insert {path}: ', { path })}</VisuallyHidden>
      {children}
    </UnstyledButton>
  );
}

function Leaf({ value }: { value: unknown }) {
  const json = JSON.stringify(value) ?? 'null';
  const isCut = json.length > MAX_LENGTH;
  return (
    <span className={typeof value === 'string' ? ui.string : ui.literal}>
      {isCut ? `${json.slice(0, MAX_LENGTH).toWellFormed()}…` : json}
    </span>
  );
}
