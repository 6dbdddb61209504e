/** The sample payload for the preview: a received request, an example, or custom JSON. */
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { PublishingSample } from '../../api/types.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { relativeTime, useHalfMinutes } from '../../design/time.ts';
import { PayloadTree } from '../../patterns/workbench/PayloadTree.tsx';
import { type SampleView, SampleViews } from '../../patterns/workbench/SampleViews.tsx';
import { EXAMPLES, type Sample, toSample, TYPED, typedSample } from './sample.ts';

interface SamplePaneProps {
  sample: Sample;
  onSample: (sample: Sample) => void;
  /** Samples of received requests, newest first. */
  stored: readonly PublishingSample[];
  /** Whether a model is asked, so that there is an answer. */
  asks: boolean;
}

export function SamplePane({ sample, onSample, stored, asks }: SamplePaneProps) {
  const [view, setView] = useState<SampleView>('values');
  const now = useHalfMinutes();
  const choose = (source: string) => {
    const one = stored.find(({ id }) => id === source) ?? EXAMPLES.find(({ id }) => id === source);
    if (source === TYPED) {
      setView('json');
      return onSample({ ...sample, source: TYPED });
    }
    if (one) onSample(toSample(source, 'received' in one ? one.received : one));
  };
  const { headers, query, payload } = sample.received;
  return (
    <SampleViews
      title={t('Sample')}
      view={view}
      onView={setView}
      label={t('JSON payload')}
      text={sample.text}
      onText={(text) => onSample(typedSample(sample, text))}
      error={sample.error}
      picker={
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
      }
    >
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
    </SampleViews>
  );
}
