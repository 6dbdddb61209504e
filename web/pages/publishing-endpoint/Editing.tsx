/** The panes of the editor, and below them whether there is something to save. */
import { Alert, Button, Group, Text } from '@mantine/core';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import classes from './editor.module.css';
import { EditorPanes } from './EditorPanes.tsx';
import type { Editing as EditingState } from './use-editing.ts';
import { useTrial } from './use-trial.ts';

interface EditingProps {
  endpoint: PublishingEndpoint;
  editing: EditingState;
}

export function Editing({ endpoint, editing }: EditingProps) {
  const write = useCan('publishing:write');
  const { editor, sample, setSample, stored, refused, change, problem, conflict } = editing;
  const trial = useTrial(endpoint.id, editor.form, sample);
  return (
    <>
      <EditorPanes
        editor={editor}
        sample={sample}
        onSample={setSample}
        stored={stored}
        trial={trial}
        refused={refused}
      />
      {write && (change !== null || problem !== null) && (
        <div className={classes.foot}>
          <div className={classes.footSaid}>
            {conflict && (
              <Alert
                className={ui.notice}
                role="alert"
                title="Somebody else changed it meanwhile"
                variant="light"
                color="yellow"
              >
                <Text>
                  Their change is of <RelativeTime at={conflict.theirs.updated_at} />. What you wrote is still
                  here, and saving it leaves alone what you did not touch.
                </Text>
                <Group gap="xs" mt="xs">
                  <Button size="xs" variant="default" onClick={editing.discard}>
                    Take theirs
                  </Button>
                  <Button size="xs" variant="default" loading={editing.saving} onClick={conflict.overwrite}>
                    Save mine over it
                  </Button>
                </Group>
              </Alert>
            )}
            {problem !== null && <ProblemAlert error={problem} />}
            {!conflict && problem === null && (
              <Group gap="md">
                <Text fw={500} role="status">
                  Not saved yet
                </Text>
                <AsCurl
                  call={{
                    method: 'PATCH',
                    path: `/publishing-endpoints/${endpoint.id}`,
                    body: change ?? {},
                  }}
                />
              </Group>
            )}
          </div>
          {!conflict && (
            <Group gap="xs">
              <Button variant="default" onClick={editing.discard}>
                Discard
              </Button>
              <Button loading={editing.saving} onClick={editing.save}>
                Save
              </Button>
            </Group>
          )}
        </div>
      )}
    </>
  );
}
