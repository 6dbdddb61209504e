/** The panes of a rule's editor: the event, the rule, and its test result. */
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { plural, t } from '../../copy/text.ts';
import { instancesByUseQuery, useInstances, findDefaultInstance } from '../../api/instances.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import type { Rule } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { CountField } from '../../design/CountField.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { metadataForm, MetadataField } from '../../patterns/form/MetadataField.tsx';
import { getFieldLabels } from '../../patterns/workbench/field-labels.ts';
import { typedFaults } from '../../patterns/workbench/typed-faults.ts';
import { unknownVariables } from '../../patterns/workbench/unknown-variables.ts';
import { Workbench } from '../../patterns/workbench/Workbench.tsx';
import { getMessage } from '../publishing/use-editor.ts';
import { ACTION_LABELS, type ActionType } from './rule-text.ts';
import { ACTION_ICONS, ActionCard } from './ActionCard.tsx';
import { useTrialEvents } from './trial-events.ts';
import { type ActionForm, newAction, toCreateBody } from './rule-form.ts';
import { newDestination } from '../publishing/editor-form.ts';
import type { OwnEvent } from './own-event.ts';
import { Trigger } from './Trigger.tsx';
import type { RuleEditor } from './use-rule-editor.ts';
import { useRuleTrial } from './use-rule-trial.ts';

// Loaded after the rule itself, which is shown first.
const EventPane = lazily(() => import('./EventPane.tsx'), 'EventPane');
const TrialPane = lazily(() => import('./TrialPane.tsx'), 'TrialPane');

interface RulePanesProps {
  editor: RuleEditor;
  /** The saved rule; null for a new one. */
  saved: Rule | null;
  /** Field errors of the last attempt to save. */
  saveErrors: readonly Fault[];
}

const MAX_ACTIONS = 10;
const TYPES = Object.keys(ACTION_LABELS) as ActionType[];

/** Returns the name of each action, generated like the API does for unnamed ones. */
function resolveNames(actions: readonly ActionForm[]): string[] {
  const taken = new Set(actions.map(({ name }) => name.trim()));
  return actions.map(({ name, type }) => {
    if (name.trim() !== '') return name.trim();
    let generated: string = type;
    for (let number = 2; taken.has(generated); number++) generated = `${type}_${number}`;
    taken.add(generated);
    return generated;
  });
}

export function RulePanes({ editor, saved, saveErrors }: RulePanesProps) {
  const { workspace } = useWorkspace();
  const readsInstances = useCan('instances:read');
  const { data: instances = [] } = useInstances(
    workspace.id,
    editor.form.actions.map(({ destination }) => destination.instance_id),
    { enabled: readsInstances },
  );
  const { data: usedFirst } = useQuery({ ...instancesByUseQuery(workspace.id), enabled: readsInstances });
  const write = useCan('rules:write');
  const [chosen, setChosen] = useState<string | null>(null);
  const { form } = editor;
  const [own, setOwn] = useState<OwnEvent | null>(null);
  const events = useTrialEvents(form.events, chosen);
  const event = own?.trial ?? events.current;
  const trial = useRuleTrial(saved?.id ?? null, form, event?.with ?? null);
  const rejected = trial.error instanceof ApiProblem ? trial.error.faults : [];
  const ofOwn = getMessage(rejected, '/custom_event');
  const ofTrial = rejected.filter(({ pointer }) => !pointer.startsWith('/custom_event'));
  // Blank fields of a new rule are no errors yet.
  const typed = saved === null ? typedFaults(ofTrial, toCreateBody(form)) : ofTrial;
  const outputs = trial.answer?.steps.map(({ name, output }) => [name, output ?? {}]) ?? [];
  const scope = { event: event?.event, steps: Object.fromEntries(outputs) as object, rule: {} };
  const conditions = [form.filter, ...form.actions.map(({ when }) => when)];
  const unknown = conditions.flatMap((condition, nth) =>
    unknownVariables(nth === 0 ? '/filter' : `/actions/${nth - 1}/when`, condition, scope),
  );
  const faults = [...typed, ...saveErrors, ...unknown];
  const names = resolveNames(form.actions);
  const add = (type: ActionType) => {
    const first = findDefaultInstance(usedFirst ?? instances);
    editor.add(
      newAction(type, {
        ...(type === 'send_message' && {
          destination: newDestination({
            instance_id: first?.id ?? '',
            to: form.events.includes('message.received') ? '{{ event.data.object.from }}' : '',
          }),
        }),
        ...(type === 'ask_model' && {
          ask: { model: 'fairlead/echo', system: '', prompt: '', max_tokens: '' },
        }),
      }),
    );
  };
  const errorCount =
    faults.length + (trial.answer?.steps.filter(({ status }) => status === 'failed').length ?? 0);
  const resultTab =
    errorCount > 0
      ? plural(errorCount, { one: 'Test ({count} error)', other: 'Test ({count} errors)' })
      : t('Test');
  return (
    <Workbench
      labels={{ sample: t('Event'), editor: t('Rule'), result: t('Test result') }}
      resultTab={resultTab}
      scope={scope}
      sample={
        <EventPane
          events={events}
          onChoose={setChosen}
          own={own && { ...own, error: own.error ?? ofOwn ?? null }}
          onOwn={setOwn}
          steps={trial.answer?.steps ?? []}
        />
      }
      result={
        <TrialPane
          trial={trial}
          faultCount={faults.length - unknown.length + (ofOwn === undefined ? 0 : 1)}
          missing={getFieldLabels(ofTrial)}
        />
      }
    >
      <TextInput
        label={t('Name')}
        placeholder={t('Reply with opening hours')}
        maxLength={100}
        data-autofocus={saved === null || undefined}
        readOnly={!write}
        value={form.name}
        onChange={({ currentTarget }) => editor.set('name', currentTarget.value)}
        error={getMessage(saveErrors, '/name')}
      />
      <Trigger editor={editor} faults={faults} />
      <div className={classes.paneHead}>
        <h2>{t('Actions')}</h2>
      </div>
      {form.actions.length === 0 ? (
        <Text size="xs" c="dimmed">
          {t(
            'Choose what the rule does. Actions run in order, and later ones can use the output of earlier ones.',
          )}
        </Text>
      ) : (
        <ol className={classes.cards} aria-label={t('Actions')}>
          {form.actions.map((action, index) => (
            <ActionCard
              key={action.key}
              editor={editor}
              action={action}
              index={index}
              name={names[index] ?? ''}
              instances={instances}
              faults={faults}
              saved={saved}
            />
          ))}
        </ol>
      )}
      {getMessage(
        saveErrors.filter(({ pointer }) => pointer === '/actions'),
        '/actions',
      ) && (
        <Text size="xs" c="red">
          {t('Choose at least one action.')}
        </Text>
      )}
      <Group gap={6} role="group" aria-label={t('Create action')}>
        {TYPES.map((type) => {
          const Icon = ACTION_ICONS[type];
          return (
            <Button
              key={type}
              size="compact-sm"
              variant="default"
              leftSection={<Icon size={14} aria-hidden />}
              disabled={form.actions.length >= MAX_ACTIONS}
              onClick={() => add(type)}
            >
              {ACTION_LABELS[type]}
            </Button>
          );
        })}
      </Group>
      <Accordion
        title={t('Rate limit')}
        note={plural(form.rate_limit.limit, {
          one: 'Up to {count} run per minute',
          other: 'Up to {count} runs per minute',
        })}
        faulty={getMessage(faults, '/rate_limit') !== undefined}
      >
        <div className={classes.pair}>
          <CountField
            label={t('Runs per minute')}
            value={form.rate_limit.limit}
            onChange={(limit) => editor.set('rate_limit', { ...form.rate_limit, limit })}
            error={getMessage(faults, '/rate_limit')}
          />
          <CountField
            label={t('Burst')}
            value={form.rate_limit.burst}
            onChange={(burst) => editor.set('rate_limit', { ...form.rate_limit, burst })}
          />
        </div>
      </Accordion>
      <Accordion
        title={t('Metadata')}
        note={t('Your own key-value pairs')}
        opened={form.metadata.length > 0}
        faulty={getMessage(saveErrors, '/metadata') !== undefined}
      >
        <MetadataField form={metadataForm(form, editor.set, saveErrors)} />
      </Accordion>
    </Workbench>
  );
}
