/**
 * A sample, an editor of templates, and their result, side by side; one at a time in narrow windows. Clicking a value of
 * the sample inserts it where the cursor last was in the editor.
 */
import { SegmentedControl } from '@mantine/core';
import { Suspense, useEffect, useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { insertInto, type PathPart, TEMPLATE_ATTRIBUTE } from './insertion.ts';
import type { Scope } from './liquid-completion.ts';
import { PickPath, SampleScope } from './scope.ts';
import classes from './workbench.module.css';

interface WorkbenchProps {
  /** Names of the panes. */
  labels: Record<Pane, string>;
  /** Name of the result in narrow windows: with the number of its errors. */
  resultTab: string;
  /** The sample's variables, which the templates complete. */
  scope: Scope;
  sample: React.ReactNode;
  result: React.ReactNode;
  children: React.ReactNode;
}

type Pane = 'sample' | 'editor' | 'result';

const FIELDS = `[${TEMPLATE_ATTRIBUTE}]`;

export function Workbench({ labels, resultTab, scope, sample, result, children }: WorkbenchProps) {
  const [pane, setPane] = useState<Pane>('editor');
  const root = useRef<HTMLElement>(null);
  const last = useRef<Element>(null);
  useEffect(() => {
    const element = root.current;
    const onFocus = ({ target }: FocusEvent) => {
      const field = target instanceof Element ? target.closest(FIELDS) : null;
      if (field) last.current = field;
    };
    element?.addEventListener('focusin', onFocus);
    return () => element?.removeEventListener('focusin', onFocus);
  }, []);
  const pick = (parts: readonly PathPart[], isList: boolean) => {
    const fields = [...(root.current?.querySelectorAll(FIELDS) ?? [])];
    // Without a focus so far: the last text of the steps.
    const field = last.current?.isConnected
      ? last.current
      : (fields.findLast((one) => one.closest('li')) ?? fields.at(-1));
    if (!field) return;
    setPane('editor');
    // In narrow windows, the field must be rendered before it can receive the focus.
    requestAnimationFrame(() => insertInto(field, parts, isList));
  };
  return (
    <SampleScope value={scope}>
      <SegmentedControl
        className={classes.switch}
        fullWidth
        aria-label={t('Editor section')}
        data={[
          { value: 'sample', label: labels.sample },
          { value: 'editor', label: labels.editor },
          { value: 'result', label: resultTab },
        ]}
        value={pane}
        onChange={setPane}
      />
      <div className={classes.panes} data-pane={pane}>
        <section className={classes.sample} aria-label={labels.sample}>
          <PickPath value={pick}>
            <Suspense>{sample}</Suspense>
          </PickPath>
        </section>
        <section ref={root} className={classes.editor} aria-label={labels.editor}>
          {children}
        </section>
        <section className={classes.result} aria-label={labels.result}>
          <Suspense>{result}</Suspense>
        </section>
      </div>
    </SampleScope>
  );
}
