/** The sample payload for the preview: a received request, an example, or custom JSON. */
import { NativeSelect, SegmentedControl, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { PublishingSample } from '../../api/types.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { relativeTime, useFromClock } from '../../design/time.ts';
import classes from '../../patterns/workbench/workbench.module.css';
import { PayloadTree } from '../../patterns/workbench/PayloadTree.tsx';
import { EXAMPLES, type Sample, toSample, TYPED, typedSample } from './sample.ts';

interface SamplePaneProps {
  sample: Sample;
  onSample: (sample: Sample) => void;
  /** Samples of received requests, newest first. */
  stored: readonly PublishingSample[];
  /** Whether a model is asked, so that there is an answer. */
  asks: boolean;
}

const VIEWS = [
  { value: 'values', label: t('Values') },
  { value: 'json', label: 'JSON' },
];
const HALF_MINUTE_MS = 30_000;

export function SamplePane({ sample, onSample, stored, asks }: SamplePaneProps) {
  const [view, setView] = useState('values');
  // Rounded to half a minute, since changing options would close an open list.
  const now = useFromClock((at) => Math.floor(at / HALF_MINUTE_MS) * HALF_MINUTE_MS);
  const choose = (source: string) => {
    const one = stored.find(({ id }) => id === source) ?? EXAMPLES.find(({ id }) => id === source);
    if (source === TYPED) return setView('json');
    if (one) onSample(toSample(source, 'received' in one ? one.received : one));
  };
  const { headers, query, payload } = sample.received;
  return (
    <>
      <div className={classes.paneHead}>
        <h2>{t('Sample')}</h2>
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
        aria-label={t('Sample payload')}
        data={[
          ...(stored.length > 0
            ? [
                {
                  group: t('Received'),
                  items: stored.map((one) => ({
                    value: one.id,
                    // `now` is rounded down, so newer samples would appear to be in the future.
                    label: relativeTime(Math.min(Date.parse(one.created_at), now), now),
                  })),
                },
              ]
            : []),
          { group: t('Examples'), items: EXAMPLES.map(({ id, label }) => ({ value: id, label })) },
          { value: TYPED, label: t('Custom JSON') },
        ]}
        value={sample.source}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {view === 'json' ? (
        <Textarea
          aria-label={t('JSON payload')}
          classNames={{ input: classes.json }}
          autosize
          minRows={10}
          spellCheck={false}
          value={sample.text}
          onChange={({ currentTarget }) => onSample(typedSample(sample, currentTarget.value))}
          error={sample.error}
        />
      ) : (
        <>
          <Text size="xs" c="dimmed">
            {t('Click a value to insert it into the template.')}
          </Text>
          <PayloadTree key={sample.source} root="payload" value={payload} />
          {asks && <PayloadTree root="answer" value={t("The model's response")} />}
          {Object.keys(headers).length > 0 && (
            <Accordion title={t('Headers')} note={String(Object.keys(headers).length)}>
              <PayloadTree root="headers" value={headers} />
            </Accordion>
          )}
          {Object.keys(query).length > 0 && (
            <Accordion title={t('Query')} note={String(Object.keys(query).length)}>
              <PayloadTree root="query" value={query} />
            </Accordion>
          )}
          <Accordion title={t('More variables')} note={t('Endpoint, publication, time')}>
            <PayloadTree root="endpoint" value={{ id: 'pep_…', name: '…' }} />
            <PayloadTree root="publication" value={{ id: 'pub_…' }} />
            <PayloadTree root="received_at" value={new Date(now).toISOString()} />
          </Accordion>
        </>
      )}
    </>
  );
}
