/** The payload that the templates are tried on: one that came, an example, or one's own. */
import { NativeSelect, SegmentedControl, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { PublishingSample } from '../../api/types.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import { relativeTime, useFromClock } from '../../ui/time.ts';
import classes from './editor.module.css';
import { type OnPick, PayloadTree } from './PayloadTree.tsx';
import { EXAMPLES, type Sample, sampleOf, TYPED, typedSample } from './sample.ts';

interface SamplePaneProps {
  sample: Sample;
  onSample: (sample: Sample) => void;
  /** Those that the endpoint took, newest first. */
  stored: readonly PublishingSample[];
  onPick: OnPick;
}

const VIEWS = [
  { value: 'values', label: 'Values' },
  { value: 'json', label: 'JSON' },
];
const HALF_MINUTE_MS = 30_000;

export function SamplePane({ sample, onSample, stored, onPick }: SamplePaneProps) {
  const [view, setView] = useState('values');
  // To the half minute: options that change while a list is open would close it.
  const now = useFromClock((at) => Math.floor(at / HALF_MINUTE_MS) * HALF_MINUTE_MS);
  const choose = (source: string) => {
    const one = stored.find(({ id }) => id === source) ?? EXAMPLES.find(({ id }) => id === source);
    if (source === TYPED) return setView('json');
    if (one) onSample(sampleOf(source, 'received' in one ? one.received : one));
  };
  const { headers, query, payload } = sample.received;
  return (
    <>
      <div className={classes.paneHead}>
        <h2>Sample</h2>
        <SegmentedControl
          size="xs"
          aria-label="Show the sample as"
          data={VIEWS}
          value={view}
          onChange={setView}
        />
      </div>
      <NativeSelect
        size="xs"
        aria-label="Sample payload"
        data={[
          ...(stored.length > 0
            ? [
                {
                  group: 'Received',
                  items: stored.map((one) => ({
                    value: one.id,
                    // Of what came since then it can't be told.
                    label: relativeTime(Math.min(Date.parse(one.created_at), now), now),
                  })),
                },
              ]
            : []),
          { group: 'Examples', items: EXAMPLES.map(({ id, label }) => ({ value: id, label })) },
          { value: TYPED, label: 'My own JSON' },
        ]}
        value={sample.source}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {view === 'json' ? (
        <Textarea
          aria-label="Payload as JSON"
          classNames={{ input: classes.json }}
          autosize
          minRows={10}
          spellCheck={false}
          value={sample.text}
          onChange={({ currentTarget }) => onSample(typedSample(sample, currentTarget.value))}
          error={sample.fault}
        />
      ) : (
        <>
          <Text size="xs" c="dimmed">
            Click a value to put it into the template.
          </Text>
          <PayloadTree key={sample.source} root="payload" value={payload} onPick={onPick} />
          {Object.keys(headers).length > 0 && (
            <Accordion title="Headers" note={String(Object.keys(headers).length)}>
              <PayloadTree root="headers" value={headers} onPick={onPick} />
            </Accordion>
          )}
          {Object.keys(query).length > 0 && (
            <Accordion title="Query" note={String(Object.keys(query).length)}>
              <PayloadTree root="query" value={query} onPick={onPick} />
            </Accordion>
          )}
          <Accordion title="Also known" note="endpoint, time">
            <PayloadTree root="endpoint" value={{ id: 'pep_…', name: '…' }} onPick={onPick} />
            <PayloadTree root="publication" value={{ id: 'pub_…' }} onPick={onPick} />
            <PayloadTree root="received_at" value={new Date(now).toISOString()} onPick={onPick} />
          </Accordion>
        </>
      )}
    </>
  );
}
