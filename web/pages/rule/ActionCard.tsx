/** One action of a rule: what it does, under which name later ones see what it gave, and when it is skipped. */
import { ActionIcon, TextInput } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconLink,
  IconMessage,
  IconSparkles,
  IconTrash,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Fault } from '../../api/problem.ts';
import type { Instance, Rule } from '../../api/types.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import classes from '../publishing-endpoint/editor.module.css';
import { TemplateField } from '../publishing-endpoint/TemplateField.tsx';
import { getMessage } from '../publishing-endpoint/use-editor.ts';
import { ACTION_WORDS, type ActionType } from '../rules/rule-text.ts';
import { ActionFields } from './ActionFields.tsx';
import type { ActionForm } from './rule-form.ts';
import type { RuleEditor } from './use-rule-editor.ts';

export const ACTION_ICONS: Record<ActionType, TablerIcon> = {
  send_message: IconMessage,
  create_link: IconLink,
  call_webhook: IconWebhook,
  ask_model: IconSparkles,
};

interface ActionCardProps {
  editor: RuleEditor;
  action: ActionForm;
  /** From 0. */
  place: number;
  /** The name that it has, also where one is made for it. */
  name: string;
  instances: readonly Instance[];
  faults: readonly Fault[];
  /** The rule as it is saved; null for a new one. */
  saved: Rule | null;
}

export function ActionCard({ editor, action, place, name, instances, faults, saved }: ActionCardProps) {
  const { key, type } = action;
  const count = editor.form.actions.length;
  const at = (field: string) => getMessage(faults, `/actions/${place}/${field}`);
  const change = (with_: Partial<ActionForm>) => editor.change(key, with_);
  const label = `action ${place + 1}`;
  const Icon = ACTION_ICONS[type];
  return (
    <li className={classes.card} aria-label={`Action ${place + 1}: ${ACTION_WORDS[type]}`}>
      <div className={classes.cardHead}>
        <span className={classes.number}>{place + 1}</span>
        <Icon size={16} stroke={1.75} aria-hidden />
        <strong>{ACTION_WORDS[type]}</strong>
        <span className={classes.tools}>
          {count > 1 && (
            <>
              <Tool
                label={`Move ${label} up`}
                icon={IconArrowUp}
                disabled={place === 0}
                onClick={() => editor.move(key, -1)}
              />
              <Tool
                label={`Move ${label} down`}
                icon={IconArrowDown}
                disabled={place === count - 1}
                onClick={() => editor.move(key, 1)}
              />
            </>
          )}
          <Tool label={`Remove ${label}`} icon={IconTrash} onClick={() => editor.remove(key)} />
        </span>
      </div>
      <ActionFields action={action} instances={instances} onChange={change} at={at} saved={saved} />
      <Accordion
        title="Name and condition"
        note={action.when.trim() === '' ? `steps.${name}` : 'skipped unless its condition holds'}
        opened={action.when.trim() !== ''}
        faulty={at('name') !== undefined || at('when') !== undefined}
      >
        <div className={classes.pair}>
          <TextInput
            label="Name"
            placeholder={name}
            spellCheck={false}
            maxLength={40}
            value={action.name}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            error={at('name')}
          />
          <TemplateField
            label="Only if"
            single
            bare
            placeholder="event.data.object.text"
            value={action.when}
            onChange={(when) => change({ when })}
            error={at('when')}
          />
        </div>
      </Accordion>
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
