/** The bar below a workbench: the unsaved changes, why saving failed, and the save button. */
import { Alert, Button, Group, Text } from '@mantine/core';
import type { CallExample } from '../../api/curl.ts';
import type { Fault } from '../../api/problem.ts';
import { rich, t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { AsCurl } from '../AsCurl.tsx';
import { ProblemAlert } from '../ProblemAlert.tsx';
import { withLabel } from './field-labels.ts';
import type { SavedForm } from './use-saved-form.ts';
import classes from './workbench.module.css';

interface CreateBarProps {
  /** Text of the button. */
  submit: string;
  /** The call of the button. */
  call: CallExample;
  problem: unknown;
  /** Those errors of the problem that are still to be corrected. */
  faults: readonly Fault[];
  pending: boolean;
  onSubmit: () => void;
}

/** The bar of a new object. */
export function CreateBar({ submit, call, problem, faults, pending, onSubmit }: CreateBarProps) {
  return (
    <div className={classes.bar}>
      <div className={classes.barText}>
        {problem ? <ProblemAlert error={problem} faults={faults.map(withLabel)} /> : <AsCurl call={call} />}
      </div>
      <Button loading={pending} onClick={onSubmit}>
        {submit}
      </Button>
    </div>
  );
}

interface SaveBarProps<Shown, Change> {
  form: SavedForm<Shown, Change>;
  /** The call that saves the form, as shown. */
  call: CallExample;
}

/** The bar of an existing object; hidden while nothing is unsaved. */
export function SaveBar<Shown extends { updated_at: string }, Change>(props: SaveBarProps<Shown, Change>) {
  const { form, call } = props;
  const { change, problem, conflict, saving, save, discard } = form;
  if (change === null && problem === null) return null;
  return (
    <div className={classes.bar}>
      <div className={classes.barText}>
        {conflict && (
          <Alert
            className={ui.notice}
            role="alert"
            title={t('Someone else changed this in the meantime')}
            variant="light"
            color="yellow"
          >
            <Text>
              {rich(
                'They saved their changes <time>then</time>. Your changes are still here, and saving them only overwrites the fields you edited.',
                { time: () => <RelativeTime at={conflict.theirs.updated_at} /> },
              )}
            </Text>
            <Group gap="xs" mt="xs">
              <Button size="xs" variant="default" onClick={discard}>
                {t('Discard my changes')}
              </Button>
              <Button size="xs" variant="default" loading={saving} onClick={conflict.overwrite}>
                {t('Overwrite')}
              </Button>
            </Group>
          </Alert>
        )}
        {problem !== null && <ProblemAlert error={problem} faults={form.saveErrors.map(withLabel)} />}
        {!conflict && problem === null && (
          <Group gap="md">
            <Text fw={500} role="status">
              {t('Unsaved changes')}
            </Text>
            <AsCurl call={call} />
          </Group>
        )}
      </div>
      {!conflict && (
        <Group gap="xs">
          <Button variant="default" onClick={discard}>
            {t('Discard')}
          </Button>
          <Button loading={saving} onClick={save}>
            {t('Save')}
          </Button>
        </Group>
      )}
    </div>
  );
}
