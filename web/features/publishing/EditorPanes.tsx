/** The panes of an endpoint's editor: the sample, the templates, and the preview. */
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { plural, t } from '../../copy/text.ts';
import { instancesByUseQuery, useInstances, findDefaultInstance } from '../../api/instances.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import type { PublishingSample } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ButtonLink } from '../../design/links.tsx';
import { DestinationCard } from './DestinationCard.tsx';
import classes from '../../patterns/workbench/workbench.module.css';
import { typedFaults } from '../../patterns/workbench/typed-faults.ts';
import { unknownVariables } from '../../patterns/workbench/unknown-variables.ts';
import { Workbench } from '../../patterns/workbench/Workbench.tsx';
import { toDefinition } from './editor-form.ts';
import type { Sample } from './sample.ts';
import type { Editor } from './use-editor.ts';
import type { Trial } from './use-trial.ts';

// Loaded after the templates, which are shown first.
const SamplePane = lazily(() => import('./SamplePane.tsx'), 'SamplePane');
const DeliveryFields = lazily(() => import('./DeliveryFields.tsx'), 'DeliveryFields');
const AskPart = lazily(() => import('./AskPart.tsx'), 'AskPart');
const PreviewPane = lazily(() => import('./PreviewPane.tsx'), 'PreviewPane');

interface EditorPanesProps {
  editor: Editor;
  sample: Sample;
  onSample: (sample: Sample) => void;
  stored: readonly PublishingSample[];
  trial: Trial;
  /** Field errors of the last attempt to save. */
  saveErrors: readonly Fault[];
  /** Whether the endpoint is new, so that blank fields are no errors yet. */
  isNew?: boolean;
  /** Shown above the destinations. */
  children?: React.ReactNode;
}

/** Variables that no sample has. */
const OTHER_VARIABLES = {
  endpoint: { id: 'pep_…', name: '…' },
  publication: { id: 'pub_…' },
  received_at: '…',
};
const MAX_DESTINATIONS = 20;

const trialErrors = ({ answer, error }: Trial): Fault[] => [
  ...(answer?.errors ?? []),
  ...(answer?.destinations.flatMap(({ errors }) => errors) ?? []),
  ...(error instanceof ApiProblem ? error.faults : []),
];

export function EditorPanes(props: EditorPanesProps) {
  const { editor, sample, onSample, stored, trial, saveErrors, isNew = false, children } = props;
  const { workspace } = useWorkspace();
  const { data: instances } = useInstances(
    workspace.id,
    editor.form.destinations.map((one) => one.instance_id),
  );
  const { data: usedFirst } = useQuery(instancesByUseQuery(workspace.id));
  const ofTrial = trialErrors(trial);
  const asks = editor.form.ask.on;
  const count = editor.form.destinations.length;
  const known = instances ?? [];
  const scope = { ...sample.received, ...OTHER_VARIABLES, ...(asks && { answer: '…' }) };
  const faults = [
    ...(isNew ? typedFaults(ofTrial, toDefinition(editor.form)) : ofTrial),
    ...saveErrors,
    ...unknownVariables('/filter', editor.form.filter, scope),
  ];
  const resultTab =
    faults.length > 0
      ? plural(faults.length, { one: 'Preview ({count} error)', other: 'Preview ({count} errors)' })
      : t('Preview');
  return (
    <Workbench
      labels={{ sample: t('Sample'), editor: t('Templates'), result: t('Preview') }}
      resultTab={resultTab}
      scope={scope}
      sample={<SamplePane sample={sample} onSample={onSample} stored={stored} asks={asks} />}
      result={
        <PreviewPane
          trial={trial}
          instances={known}
          destinations={editor.form.destinations}
          faults={faults}
          scope={scope}
        />
      }
    >
      {children}
      {instances?.length === 0 && (
        <div className={classes.card}>
          <Text>{t('Create an instance to send messages. The sandbox channel needs no account.')}</Text>
          <ButtonLink
            to="/w/$workspace/instances"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
            style={{ alignSelf: 'flex-start' }}
          >
            {t('Create instance')}
          </ButtonLink>
        </div>
      )}
      <ol className={classes.cards} aria-label={t('Destinations')}>
        {editor.form.destinations.map((destination, index) => (
          <DestinationCard
            key={destination.key}
            editor={editor}
            destination={destination}
            index={index}
            instances={known}
            faults={faults}
          />
        ))}
      </ol>
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        disabled={count >= MAX_DESTINATIONS}
        onClick={() => {
          const previous = editor.form.destinations.at(-1);
          editor.add({
            instance_id: previous?.instance_id ?? findDefaultInstance(usedFirst ?? known)?.id ?? '',
          });
        }}
      >
        {t('Create destination')}
      </Button>
      <Suspense>
        <AskPart editor={editor} faults={faults} />
        <DeliveryFields editor={editor} faults={faults} />
      </Suspense>
    </Workbench>
  );
}
