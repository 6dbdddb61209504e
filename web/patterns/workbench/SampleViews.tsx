/** The pane with the sample that a definition is tested with: as values to insert, or as JSON to edit. */
import { SegmentedControl, Text, Textarea } from '@mantine/core';
import { t } from '../../copy/text.ts';
import classes from './workbench.module.css';

export type SampleView = 'values' | 'json';

interface SampleViewsProps {
  title: string;
  view: SampleView;
  onView: (view: SampleView) => void;
  /** Label of the JSON. */
  label: string;
  /** The JSON as typed. */
  text: string;
  onText: (text: string) => void;
  /** Why the text can't be used; null if it can. */
  error: string | null;
  /** Chooses the sample. */
  picker: React.ReactNode;
  /** The values. */
  children: React.ReactNode;
}

const VIEWS: { value: SampleView; label: string }[] = [
  { value: 'values', label: t('Values') },
  { value: 'json', label: 'JSON' },
];

export function SampleViews(props: SampleViewsProps) {
  const { title, view, onView, label, text, onText, error, picker, children } = props;
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{title}</h2>
        <SegmentedControl
          size="xs"
          aria-label={t('Sample view')}
          data={VIEWS}
          value={view}
          onChange={onView}
        />
      </div>
      {picker}
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
