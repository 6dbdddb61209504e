/** The event, the rule and what it would do, side by side; where it is narrow one after the other, behind a switch. */
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { instancesQuery } from '../../api/instances.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import type { Rule } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import { CountField } from '../../ui/CountField.tsx';
import classes from '../publishing-endpoint/editor.module.css';
import { insertInto, type PathPart } from '../publishing-endpoint/insertion.ts';
import { getMessage } from '../publishing-endpoint/use-editor.ts';
import { takesMessages } from '../chats/draft.ts';
import { ACTION_WORDS, type ActionType } from '../rules/rule-text.ts';
import { ACTION_ICONS, ActionCard } from './ActionCard.tsx';
import { useTrialEvents } from './trial-events.ts';
import { type ActionForm, newAction } from './rule-form.ts';
import { newDestination } from '../publishing-endpoint/editor-form.ts';
import { Trigger } from './Trigger.tsx';
import type { RuleEditor } from './use-rule-editor.ts';
import { useRuleTrial } from './use-rule-trial.ts';

// What stands beside the rule comes right after it.
const EventPane = lazy(async () => ({ default: (await import('./EventPane.tsx')).EventPane }));
const TrialPane = lazy(async () => ({ default: (await import('./TrialPane.tsx')).TrialPane }));

interface RulePanesProps {
  editor: RuleEditor;
  /** The rule as it is saved; null for a new one. */
  saved: Rule | null;
  /** What was said of it when it was to be saved. */
  refused: readonly Fault[];
  /** What stands above what starts it. */
  children?: React.ReactNode;
}

type Pane = 'sample' | 'templates' | 'preview';
const MAX_ACTIONS = 10;
const TYPES = Object.keys(ACTION_WORDS) as ActionType[];

/** Names as the API makes them for those that have none. */
function namesOf(actions: readonly ActionForm[]): string[] {
  const taken = new Set(actions.map(({ name }) => name.trim()));
  return actions.map(({ name, type }) => {
    if (name.trim() !== '') return name.trim();
    let made: string = type;
    for (let number = 2; taken.has(made); number++) made = `${type}_${number}`;
    taken.add(made);
    return made;
  });
}

export function RulePanes({ editor, saved, refused, children }: RulePanesProps) {
  const { workspace } = useWorkspace();
  const readsInstances = useCan('instances:read');
  const { data: instances = [] } = useInfiniteQuery({
    ...instancesQuery(workspace.id),
    enabled: readsInstances,
  });
  const [pane, setPane] = useState<Pane>('templates');
  const [chosen, setChosen] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const last = useRef<HTMLTextAreaElement>(null);
  const { form } = editor;
  const events = useTrialEvents(form.events, chosen);
  const trial = useRuleTrial(saved?.id ?? null, form, events.current?.with ?? null);
  const faults = [...(trial.error instanceof ApiProblem ? trial.error.faults : []), ...refused];
  const names = namesOf(form.actions);
  useEffect(() => {
    const element = root.current;
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLTextAreaElement && target.dataset['template'] !== undefined)
        last.current = target;
    };
    element?.addEventListener('focusin', onFocus);
    return () => element?.removeEventListener('focusin', onFocus);
  }, []);
  const pick = (parts: readonly PathPart[], isList: boolean) => {
    const fields = [
      ...(root.current?.querySelectorAll<HTMLTextAreaElement>('textarea[data-template]') ?? []),
    ];
    const field = last.current?.isConnected ? last.current : fields.at(-1);
    if (!field) return;
    setPane('templates');
    // Where only one pane is shown, the field has to be before it can have the cursor.
    requestAnimationFrame(() => insertInto(field, parts, { isList }));
  };
  const add = (type: ActionType) => {
    const first = instances.find(takesMessages) ?? instances[0];
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
  const wrong = faults.length + (trial.answer?.steps.filter(({ status }) => status === 'failed').length ?? 0);
  return (
    <>
      <SegmentedControl
        className={classes.switch}
        fullWidth
        aria-label="Part of the editor"
        data={[
          { value: 'sample', label: 'Event' },
          { value: 'templates', label: 'Rule' },
          { value: 'preview', label: wrong > 0 ? `Try it: ${wrong} wrong` : 'Try it' },
        ]}
        value={pane}
        onChange={setPane}
      />
      <div className={classes.panes} data-pane={pane}>
        <section className={classes.sample} aria-label="Event">
          <Suspense>
            <EventPane events={events} onChoose={setChosen} steps={trial.answer?.steps ?? []} onPick={pick} />
          </Suspense>
        </section>
        <section ref={root} className={classes.templates} aria-label="Rule">
          {children}
          <Trigger editor={editor} faults={faults} />
          <ol className={classes.cards} aria-label="Actions">
            {form.actions.map((action, place) => (
              <ActionCard
                key={action.key}
                editor={editor}
                action={action}
                place={place}
                name={names[place] ?? ''}
                instances={instances}
                faults={faults}
                saved={saved}
              />
            ))}
          </ol>
          {getMessage(
            refused.filter(({ pointer }) => pointer === '/actions'),
            '/actions',
          ) && (
            <Text size="xs" c="red">
              Add at least one action.
            </Text>
          )}
          <Group gap={6} role="group" aria-label="Add an action">
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
                  {ACTION_WORDS[type]}
                </Button>
              );
            })}
          </Group>
          <Accordion
            title="Rate"
            note={`at most ${form.rate_limit.limit} runs a minute`}
            faulty={getMessage(faults, '/rate_limit') !== undefined}
          >
            <div className={classes.pair}>
              <CountField
                label="Runs a minute"
                value={form.rate_limit.limit}
                onChange={(limit) => editor.set('rate_limit', { ...form.rate_limit, limit })}
                error={getMessage(faults, '/rate_limit')}
              />
              <CountField
                label="At once"
                value={form.rate_limit.burst}
                onChange={(burst) => editor.set('rate_limit', { ...form.rate_limit, burst })}
              />
            </div>
          </Accordion>
        </section>
        <section className={classes.preview} aria-label="What it would do">
          <Suspense>
            <TrialPane trial={trial} />
          </Suspense>
        </section>
      </div>
    </>
  );
}
