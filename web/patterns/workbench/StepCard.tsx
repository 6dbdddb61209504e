/** One step of an editor's ordered list: its number, its title, buttons that move, copy and remove it, its fields. */
import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash, type TablerIcon } from '@tabler/icons-react';
import classes from './workbench.module.css';

interface StepCardProps {
  label: string;
  /** Position in the list, from 0. */
  index: number;
  count: number;
  icon?: TablerIcon;
  title: string;
  /** Names of the buttons. */
  tools: Record<'up' | 'down' | 'remove', string>;
  onMove: (by: -1 | 1) => void;
  /** Left out where the last step has to stay. */
  onRemove: (() => void) | undefined;
  /** Copies the step. */
  duplicate?: { label: string; onClick: () => void };
  children: React.ReactNode;
}

export function StepCard(props: StepCardProps) {
  const { label, index, count, icon: Icon, title, tools, onMove, onRemove, duplicate, children } = props;
  return (
    <li className={classes.card} aria-label={label}>
      <div className={classes.cardHead}>
        <span className={classes.number}>{index + 1}</span>
        {Icon && <Icon size={16} stroke={1.75} aria-hidden />}
        <strong dir="auto">{title}</strong>
        <span className={classes.tools}>
          {count > 1 && (
            <>
              <Tool label={tools.up} icon={IconArrowUp} disabled={index === 0} onClick={() => onMove(-1)} />
              <Tool
                label={tools.down}
                icon={IconArrowDown}
                disabled={index === count - 1}
                onClick={() => onMove(1)}
              />
            </>
          )}
          {duplicate && <Tool icon={IconCopy} {...duplicate} />}
          {onRemove && <Tool label={tools.remove} icon={IconTrash} onClick={onRemove} />}
        </span>
      </div>
      {children}
    </li>
  );
}

interface ToolProps {
  label: string;
  icon: TablerIcon;
  disabled?: boolean;
  onClick: () => void;
}

function Tool({ label, icon: Icon, ...rest }: ToolProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} data-tip={label} {...rest}>
      <Icon size={14} stroke={1.75} />
    </ActionIcon>
  );
}
