/** One action of a rule: its fields, its condition, and the name under which later actions use its output. */
import { TextInput } from '@mantine/core';
import { IconLink, IconMessage, IconSparkles, IconWebhook, type TablerIcon } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import type { Instance, Rule } from '../../api/types.ts';
import { Accordion } from '../../design/Accordion.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { StepCard } from '../../patterns/workbench/StepCard.tsx';
import { TemplateField } from '../../patterns/workbench/TemplateField.tsx';
import { getMessage } from '../publishing/use-editor.ts';
import { ACTION_LABELS, type ActionType } from './rule-text.ts';
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
  /** Position among the actions, from 0. */
  index: number;
  /** The action's name, given or generated. */
  name: string;
  instances: readonly Instance[];
  faults: readonly Fault[];
  /** The saved rule; null for a new one. */
  saved: Rule | null;
}

export function ActionCard({ editor, action, index, name, instances, faults, saved }: ActionCardProps) {
  const { key, type } = action;
  const at = (field: string) => getMessage(faults, `/actions/${index}/${field}`);
  const change = (patch: Partial<ActionForm>) => editor.change(key, patch);
  const number = index + 1;
  return (
    <StepCard
      label={t('Action {number}: {action}', { number, action: ACTION_LABELS[type] })}
      index={index}
      count={editor.form.actions.length}
      icon={ACTION_ICONS[type]}
      title={ACTION_LABELS[type]}
      tools={{
        up: t('Move action {number} up', { number }),
        down: t('Move action {number} down', { number }),
        remove: t('Remove action {number}', { number }),
      }}
      onMove={(by) => editor.move(key, by)}
      onRemove={() => editor.remove(key)}
    >
      <ActionFields action={action} instances={instances} onChange={change} at={at} saved={saved} />
      <Accordion
        title={t('Name and condition')}
        note={action.when.trim() === '' ? `steps.${name}` : t('Runs only if the condition is met')}
        opened={action.when.trim() !== ''}
        faulty={at('name') !== undefined || at('when') !== undefined}
      >
        <div className={classes.pair}>
          <TextInput
            label={t('Name')}
            placeholder={name}
            spellCheck={false}
            maxLength={40}
            value={action.name}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            error={at('name')}
          />
          <TemplateField
            label={t('Condition')}
            single
            bare
            placeholder="event.data.object.text"
            value={action.when}
            onChange={(when) => change({ when })}
            error={at('when')}
          />
        </div>
      </Accordion>
    </StepCard>
  );
}
