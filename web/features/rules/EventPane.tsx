/** The event that a rule is tested with: a recent event, a sample, or one of the user's own. */
import { Text, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { RuleTrialAnswer } from '../../api/types.ts';
import { useHalfMinutes } from '../../design/time.ts';
import { PayloadTree } from '../../patterns/workbench/PayloadTree.tsx';
import { CUSTOM } from '../../patterns/workbench/json-text.ts';
import { SampleViews, sampleTime } from '../../patterns/workbench/SampleViews.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { describeEvent, formatEvent, getBody, type OwnEvent, readOwnEvent, withBody } from './own-event.ts';
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
  const body = getBody(shown);
  const choose = (chosen: string) => {
    if (chosen === CUSTOM) return onOwn({ trial: shown, text: formatEvent(shown), error: null });
    onOwn(null);
    onChoose(chosen);
  };
  return (
    <SampleViews
      title={t('Event')}
      pickerLabel={t('Test event')}
      samples={[
        {
          group: t('Recent events'),
          items: recent.map((event) => {
            const values = { about: describeEvent(event), time: sampleTime(event.created_at, now) };
            return {
              value: event.id,
              label: isOneType
                ? t('{about}, {time}', values)
                : t('{type}: {about}, {time}', { type: event.type, ...values }),
            };
          }),
        },
        {
          group: t('Sample events'),
          items: samples.map(({ id }) => ({ value: `${SAMPLE}${id}`, label: id })),
        },
      ]}
      chosen={own ? CUSTOM : key}
      onChoose={choose}
      label={t('JSON event')}
      text={own?.text ?? formatEvent(shown)}
      onText={(text) => onOwn(readOwnEvent(text, shown))}
      error={own?.error ?? null}
    >
      {body !== null && (
        <TextInput
          size="xs"
          label={t('Message text')}
          value={body}
          onChange={({ currentTarget }) => onOwn(withBody(shown, currentTarget.value))}
        />
      )}
      <PayloadTree key={own ? CUSTOM : key} root="event" value={shown.event} />
      {outputs.length > 0 && <PayloadTree root="steps" value={Object.fromEntries(outputs)} />}
    </SampleViews>
  );
}
