/** The sample payload for the preview: a received request, an example, or custom JSON. */
import { t } from '../../copy/text.ts';
import type { PublishingSample } from '../../api/types.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { useHalfMinutes } from '../../design/time.ts';
import { PayloadTree } from '../../patterns/workbench/PayloadTree.tsx';
import { CUSTOM } from '../../patterns/workbench/json-text.ts';
import { SampleViews, sampleTime } from '../../patterns/workbench/SampleViews.tsx';
import { EXAMPLES, type Sample, toSample, typedSample } from './sample.ts';

interface SamplePaneProps {
  sample: Sample;
  onSample: (sample: Sample) => void;
  /** Samples of received requests, newest first. */
  stored: readonly PublishingSample[];
  /** Whether a model is asked, so that there is an answer. */
  asks: boolean;
}

export function SamplePane({ sample, onSample, stored, asks }: SamplePaneProps) {
  const now = useHalfMinutes();
  const choose = (source: string) => {
    if (source === CUSTOM) return onSample({ ...sample, source });
    const one = stored.find(({ id }) => id === source) ?? EXAMPLES.find(({ id }) => id === source);
    if (one) onSample(toSample(source, 'received' in one ? one.received : one));
  };
  const { headers, query, payload } = sample.received;
  return (
    <SampleViews
      title={t('Sample')}
      pickerLabel={t('Sample payload')}
      samples={[
        {
          group: t('Received'),
          items: stored.map((one) => ({ value: one.id, label: sampleTime(one.created_at, now) })),
        },
        { group: t('Examples'), items: EXAMPLES.map(({ id, label }) => ({ value: id, label })) },
      ]}
      chosen={sample.source}
      onChoose={choose}
      label={t('JSON payload')}
      text={sample.text}
      onText={(text) => onSample(typedSample(sample, text))}
      error={sample.error}
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
