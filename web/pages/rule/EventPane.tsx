/** The event that a rule is tried with: one of the log, or the sample of a type. A click on a value puts it where one writes. */
import { Button, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { eventsQuery, storedEventTypesQuery } from '../../api/events.ts';
import type { EventObject, EventType, RuleTrialAnswer } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { exactTime } from '../../ui/time.ts';
import classes from '../publishing-endpoint/editor.module.css';
import { type OnPick, PayloadTree } from '../publishing-endpoint/PayloadTree.tsx';
import { coversAny } from '../webhooks/event-patterns.ts';
import type { WithEvent } from './use-rule-trial.ts';

const RECENT = 12;

export interface ChosenEvent {
  with: WithEvent;
  event: Record<string, unknown>;
}

const SAMPLE = 'sample:';
const keyOf = (chosen: WithEvent): string =>
  'event_id' in chosen ? chosen.event_id : `${SAMPLE}${chosen.event_type}`;

const ofEvent = (event: EventObject): ChosenEvent => ({ with: { event_id: event.id }, event: { ...event } });
const ofSample = ({ id, sample }: EventType): ChosenEvent => ({ with: { event_type: id }, event: sample });

/**
 * What there is to try it with. The one that was chosen stays, as long as the rule is for its type; at first the newest of
 * the log, else a sample.
 */
export function useTrialEvents(patterns: readonly string[], chosen: string | null) {
  const { workspace } = useWorkspace();
  const mayRead = useCan('events:read');
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  const { data: recent = [] } = useInfiniteQuery({
    ...eventsQuery(workspace.id, { type: patterns.join(',') }),
    enabled: mayRead && patterns.length > 0,
    retry: false,
  });
  const samples = types.filter(({ id }) => coversAny(patterns, id));
  const known = recent.filter(({ type }) => coversAny(patterns, type)).slice(0, RECENT);
  const all = [...known.map(ofEvent), ...samples.map(ofSample)];
  const current = all.find((one) => keyOf(one.with) === chosen) ?? all[0] ?? null;
  return { current, recent: known, samples };
}

interface EventPaneProps {
  events: ReturnType<typeof useTrialEvents>;
  onChoose: (key: string) => void;
  /** What later actions see of earlier ones. */
  steps: RuleTrialAnswer['steps'];
  onPick: OnPick;
}

export function EventPane({ events: { current, recent, samples }, onChoose, steps, onPick }: EventPaneProps) {
  const outputs = steps.flatMap(({ name, output }) => (output ? [[name, output] as const] : []));
  return (
    <>
      <div className={classes.paneHead}>
        <h2>Event</h2>
      </div>
      {current ? (
        <>
          <NativeSelect
            size="xs"
            aria-label="Tried with"
            value={keyOf(current.with)}
            onChange={({ currentTarget }) => onChoose(currentTarget.value)}
            data={[
              ...(recent.length > 0
                ? [
                    {
                      group: 'That happened',
                      items: recent.map(({ id, type, created_at: at }) => ({
                        value: id,
                        label: `${type}, ${exactTime(at)}`,
                      })),
                    },
                  ]
                : []),
              {
                group: 'Samples',
                items: samples.map(({ id }) => ({ value: `${SAMPLE}${id}`, label: id })),
              },
            ]}
          />
          <Text size="xs" c="dimmed">
            A click on a value puts it into the template that you write.
          </Text>
          <PayloadTree key={keyOf(current.with)} root="event" value={current.event} onPick={onPick} />
          {outputs.length > 0 && (
            <PayloadTree root="steps" value={Object.fromEntries(outputs)} onPick={onPick} />
          )}
        </>
      ) : (
        <Text c="dimmed">What events hold is shown here, once you have chosen what the rule is for.</Text>
      )}
    </>
  );
}

/** For an empty list of types: the most usual one at a click. */
export function FirstEvent({ onChoose }: { onChoose: (type: string) => void }) {
  return (
    <Button size="xs" variant="default" onClick={() => onChoose('message.received')}>
      When a message comes
    </Button>
  );
}
