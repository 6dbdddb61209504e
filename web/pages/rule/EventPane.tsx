/** The event that a rule is tried with: one of the log, or the sample of a type. A click on a value puts it where one writes. */
import { NativeSelect, Text } from '@mantine/core';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { exactTime } from '../../ui/time.ts';
import classes from '../publishing-endpoint/editor.module.css';
import { type OnPick, PayloadTree } from '../publishing-endpoint/PayloadTree.tsx';
import { keyOf, SAMPLE, type useTrialEvents } from './trial-events.ts';

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
