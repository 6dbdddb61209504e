/** The editor of an existing endpoint, with a footer to save changes. */
import { updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { SaveBar } from '../../patterns/workbench/SaveBar.tsx';
import { EditorPanes } from './EditorPanes.tsx';
import type { Editing as EditingState } from './use-editing.ts';
import { useTrial } from './use-trial.ts';

interface EditingProps {
  endpoint: PublishingEndpoint;
  editing: EditingState;
}

export function Editing({ endpoint, editing }: EditingProps) {
  const write = useCan('publishing:write');
  const { editor, sample, setSample, stored, saveErrors } = editing;
  const trial = useTrial(endpoint.id, editor.form, sample);
  return (
    <>
      <EditorPanes
        editor={editor}
        sample={sample}
        onSample={setSample}
        stored={stored}
        trial={trial}
        saveErrors={saveErrors}
      />
      {write && <SaveBar form={editing} call={updateEndpoint(endpoint.id, editing.change ?? {})} />}
    </>
  );
}
