/** The pane with the sample that a definition is tested with: as values to insert, or as JSON to edit. */
import { NativeSelect, SegmentedControl, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { relativeTime } from '../../design/time.ts';
import { CUSTOM } from './json-text.ts';
import classes from './workbench.module.css';

type SampleView = 'values' | 'json';

/** `now` is rounded down, so newer samples would appear to be in the future. */
export const sampleTime = (at: string, now: number): string =>
  relativeTime(Math.min(Date.parse(at), now), now);

interface SampleViewsProps {
  title: string;
  /** Label of the list of samples. */
  pickerLabel: string;
  samples: { group: string; items: { value: string; label: string }[] }[];
  /** Key of the chosen sample. */
  chosen: string | undefined;
  onChoose: (key: string) => void;
  /** Label of the JSON. */
  label: string;
  /** The JSON as typed. */
  text: string;
  onText: (text: string) => void;
  /** Why the text can't be used; null if it can. */
  error: string | null;
  /** The values. */
  children: React.ReactNode;
}

const VIEWS: { value: SampleView; label: string }[] = [
  { value: 'values', label: t('Values') },
  { value: 'json', label: 'JSON' },
];

export function SampleViews(props: SampleViewsProps) {
  const { title, pickerLabel, samples, chosen, onChoose, label, text, onText, error, children } = props;
  const [view, setView] = useState<SampleView>('values');
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{title}</h2>
        <SegmentedControl
          size="xs"
          aria-label={t('Sample view')}
          data={VIEWS}
          value={view}
          onChange={setView}
        />
      </div>
      <NativeSelect
        size="xs"
        aria-label={pickerLabel}
        data={[
          ...samples.filter(({ items }) => items.length > 0),
          { value: CUSTOM, label: t('Custom JSON') },
        ]}
        value={chosen}
        onChange={({ currentTarget: { value } }) => {
          if (value === CUSTOM) setView('json');
          onChoose(value);
        }}
      />
      {view === 'json' ? (
        <Textarea
          aria-label={label}
          classNames={{ input: classes.json }}
          autosize
          minRows={10}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => onText(currentTarget.value)}
          error={error}
        />
      ) : (
        <>
          <Text size="xs" c="dimmed">
            {t('Click a value to insert it into the template.')}
          </Text>
          {children}
        </>
      )}
    </>
  );
}
