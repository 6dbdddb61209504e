/** The event that a rule is tested with: a recent event, a sample, or one of the user's own. */
import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { relativeTime, useHalfMinutes } from '../../design/time.ts';
import { PayloadTree } from '../../patterns/workbench/PayloadTree.tsx';
import { type SampleView, SampleViews } from '../../patterns/workbench/SampleViews.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { formatEvent, OWN, type OwnEvent, readOwnEvent } from './own-event.ts';
import { SAMPLE, type useTrialEvents } from './trial-events.ts';

interface EventPaneProps {
  events: ReturnType<typeof useTrialEvents>;
  onChoose: (key: string) => void;
  own: OwnEvent | null;
  onOwn: (own: OwnEvent | null) => void;
  /** The results of the trial, whose outputs later actions can use. */
  steps: RuleTrialAnswer['steps'];
}

export function EventPane({ events, onChoose, own, onOwn, steps }: EventPaneProps) {
  const { current, key, recent, samples } = events;
  const now = useHalfMinutes();
  const [view, setView] = useState<SampleView>('values');
  const outputs = steps.flatMap(({ name, output }) => (output ? [[name, output] as const] : []));
  const shown = own?.trial ?? current;
  if (!shown)
    return (
      <>
        <div className={classes.paneHead}>
          <h2>{t('Event')}</h2>
        </div>
        <Text c="dimmed">{t('Choose a trigger to see its event data.')}</Text>
      </>
    );
  // The picker is narrow: a type that all events have needn't stand there.
  const isOneType = samples.length === 1;
  const getLabel = (type: string, values: { sequence: number; time: string }) =>
    isOneType ? t('#{sequence}, {time}', values) : t('{type} #{sequence}, {time}', { type, ...values });
  const choose = (chosen: string) => {
    if (chosen === OWN) {
      setView('json');
      return onOwn({ trial: shown, text: formatEvent(shown), error: null });
    }
    onOwn(null);
    onChoose(chosen);
  };
  return (
    <SampleViews
      title={t('Event')}
      view={view}
      onView={setView}
      label={t('JSON event')}
      text={own?.text ?? formatEvent(shown)}
      onText={(text) => onOwn(readOwnEvent(text, shown))}
      error={own?.error ?? null}
      picker={
        <NativeSelect
          size="xs"
          aria-label={t('Test event')}
          value={own ? OWN : key}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data={[
            ...(recent.length > 0
              ? [
                  {
                    group: t('Recent events'),
                    items: recent.map(({ id, type, sequence, created_at: at }) => ({
                      value: id,
                      label: getLabel(type, {
                        sequence,
                        // `now` is rounded down, so newer events would appear to be in the future.
                        time: relativeTime(Math.min(Date.parse(at), now), now),
                      }),
                    })),
                  },
                ]
              : []),
            {
              group: t('Sample events'),
              items: samples.map(({ id }) => ({ value: `${SAMPLE}${id}`, label: id })),
            },
            { value: OWN, label: t('Custom JSON') },
          ]}
        />
      }
    >
      <PayloadTree key={own ? OWN : key} root="event" value={shown.event} />
      {outputs.length > 0 && <PayloadTree root="steps" value={Object.fromEntries(outputs)} />}
    </SampleViews>
  );
}
