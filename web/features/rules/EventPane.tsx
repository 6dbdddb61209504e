/** The event that a rule is tested with: a recent event or a sample. Clicking a value inserts it into the focused template. */
import { NativeSelect, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { exactTime } from '../../design/time.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { PayloadTree } from '../../patterns/workbench/PayloadTree.tsx';
import { getEventKey, SAMPLE, type useTrialEvents } from './trial-events.ts';

interface EventPaneProps {
  events: ReturnType<typeof useTrialEvents>;
  onChoose: (key: string) => void;
  /** The results of the trial, whose outputs later actions can use. */
  steps: RuleTrialAnswer['steps'];
}

export function EventPane({ events: { current, recent, samples }, onChoose, steps }: EventPaneProps) {
  const outputs = steps.flatMap(({ name, output }) => (output ? [[name, output] as const] : []));
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{t('Event')}</h2>
      </div>
      {current ? (
        <>
          <NativeSelect
            size="xs"
            aria-label={t('Test event')}
            value={getEventKey(current.with)}
            onChange={({ currentTarget }) => onChoose(currentTarget.value)}
            data={[
              ...(recent.length > 0
                ? [
                    {
                      group: t('Recent events'),
                      items: recent.map(({ id, type, created_at: at }) => ({
                        value: id,
                        label: t('{type}, {time}', { type, time: exactTime(at) }),
                      })),
                    },
                  ]
                : []),
              {
                group: t('Sample events'),
                items: samples.map(({ id }) => ({ value: `${SAMPLE}${id}`, label: id })),
              },
            ]}
          />
          <Text size="xs" c="dimmed">
            {t('Click a value to insert it into the template.')}
          </Text>
          <PayloadTree key={getEventKey(current.with)} root="event" value={current.event} />
          {outputs.length > 0 && <PayloadTree root="steps" value={Object.fromEntries(outputs)} />}
        </>
      ) : (
        <Text c="dimmed">{t('Choose a trigger to see its event data.')}</Text>
      )}
    </>
  );
}
