/**
 * Sample, templates and what they make of it, side by side; where it is narrow one after the other, behind a switch. A click
 * on a value of the sample puts it where the writer's cursor was last.
 */
import { Button, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { instancesQuery } from '../../api/instances.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import type { PublishingSample } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { DestinationCard } from './DestinationCard.tsx';
import classes from './editor.module.css';
import { insertInto, type PathPart } from './insertion.ts';
import type { Sample } from './sample.ts';
import type { Editor } from './use-editor.ts';
import type { Trial } from './use-trial.ts';

// What stands beside the templates comes right after them.
const SamplePane = lazy(async () => ({ default: (await import('./SamplePane.tsx')).SamplePane }));
const DeliveryFields = lazy(async () => ({ default: (await import('./DeliveryFields.tsx')).DeliveryFields }));
const PreviewPane = lazy(async () => ({ default: (await import('./PreviewPane.tsx')).PreviewPane }));

interface EditorPanesProps {
  editor: Editor;
  sample: Sample;
  onSample: (sample: Sample) => void;
  stored: readonly PublishingSample[];
  trial: Trial;
  /** What was said of it when it was to be saved. */
  refused: readonly Fault[];
  /** What stands above the destinations. */
  children?: React.ReactNode;
}

type Pane = 'sample' | 'templates' | 'preview';
const MAX_DESTINATIONS = 20;

/** All that is known to be wrong. */
function faultsOf({ answer, error }: Trial, refused: readonly Fault[]): Fault[] {
  return [
    ...(answer?.errors ?? []),
    ...(answer?.destinations.flatMap(({ errors }) => errors) ?? []),
    ...(error instanceof ApiProblem ? error.faults : []),
    ...refused,
  ];
}

/** The template in which the cursor was last. */
function useLastField(root: RefObject<HTMLElement | null>): RefObject<HTMLTextAreaElement | null> {
  const last = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = root.current;
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLTextAreaElement && target.dataset['template'] !== undefined)
        last.current = target;
    };
    element?.addEventListener('focusin', onFocus);
    return () => element?.removeEventListener('focusin', onFocus);
  }, [root]);
  return last;
}

export function EditorPanes(props: EditorPanesProps) {
  const { editor, sample, onSample, stored, trial, refused, children } = props;
  const { workspace } = useWorkspace();
  const { data: instances } = useInfiniteQuery(instancesQuery(workspace.id));
  const [pane, setPane] = useState<Pane>('templates');
  const root = useRef<HTMLDivElement>(null);
  const last = useLastField(root);
  const faults = faultsOf(trial, refused);
  const count = editor.form.destinations.length;
  const known = instances ?? [];
  const pick = (parts: readonly PathPart[], isList: boolean) => {
    const written = last.current?.isConnected ? last.current : null;
    const fields = root.current?.querySelectorAll<HTMLTextAreaElement>('textarea[data-template]') ?? [];
    const field = written ?? [...fields].findLast((one) => one.closest('li') !== null) ?? fields[0];
    if (!field) return;
    setPane('templates');
    // Where only one pane is shown, the field has to be before it can have the cursor.
    requestAnimationFrame(() => insertInto(field, parts, { isList }));
  };
  return (
    <>
      <SegmentedControl
        className={classes.switch}
        fullWidth
        aria-label="Part of the editor"
        data={[
          { value: 'sample', label: 'Sample' },
          { value: 'templates', label: 'Templates' },
          { value: 'preview', label: faults.length > 0 ? `Preview: ${faults.length} wrong` : 'Preview' },
        ]}
        value={pane}
        onChange={setPane}
      />
      <div className={classes.panes} data-pane={pane}>
        <section className={classes.sample} aria-label="Sample">
          <Suspense>
            <SamplePane sample={sample} onSample={onSample} stored={stored} onPick={pick} />
          </Suspense>
        </section>
        <section ref={root} className={classes.templates} aria-label="Templates">
          {children}
          {instances?.length === 0 && (
            <div className={classes.card}>
              <Text>There is no channel yet that could send. The sandbox needs no account anywhere. </Text>
              <ButtonLink
                to="/w/$workspace/channels"
                params={{ workspace: workspace.slug }}
                search={{ create: true }}
                style={{ alignSelf: 'flex-start' }}
              >
                Connect a channel
              </ButtonLink>
            </div>
          )}
          <ol className={classes.cards} aria-label="Destinations">
            {editor.form.destinations.map((destination, place) => (
              <DestinationCard
                key={destination.key}
                editor={editor}
                destination={destination}
                place={place}
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
              editor.add({ instance_id: previous?.instance_id ?? known[0]?.id ?? '' });
            }}
          >
            Add a destination
          </Button>
          <Suspense>
            <DeliveryFields editor={editor} faults={faults} />
          </Suspense>
        </section>
        <section className={classes.preview} aria-label="Preview">
          <Suspense>
            <PreviewPane
              trial={trial}
              instances={known}
              destinations={editor.form.destinations}
              faults={faults}
            />
          </Suspense>
        </section>
      </div>
    </>
  );
}
