/**
 * The editor of an endpoint that exists: what is written stays until it is saved or given up, whatever others do meanwhile.
 * What others saved is shown at once where nothing was written here, else it is told, and one chooses.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import {
  type EndpointChange,
  endpointQuery,
  refreshEndpoints,
  samplesQuery,
  updateEndpoint,
} from '../../api/publishing.ts';
import type { PublishingEndpoint, PublishingSample } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { notifyDone } from '../../ui/notify.ts';
import { changeOf, editorFormOf } from './editor-form.ts';
import { firstExample, type Sample, sampleOf } from './sample.ts';
import { type Editor, useEditor } from './use-editor.ts';

export interface Editing {
  editor: Editor;
  /** The body of the PATCH; null where nothing was changed. */
  change: EndpointChange | null;
  sample: Sample;
  setSample: (sample: Sample) => void;
  stored: readonly PublishingSample[];
  save: () => void;
  saving: boolean;
  problem: unknown;
  refused: readonly Fault[];
  /** Gives up what was written. */
  discard: () => void;
  /** Somebody else changed what is being changed here. */
  conflict: { theirs: PublishingEndpoint; overwrite: () => void } | null;
  isUnsaved: () => boolean;
  /** It is gone: there is nothing to save. */
  forget: () => void;
}

const PRECONDITION_FAILED = 412;

export function useEditing(read: Tagged<PublishingEndpoint>): Editing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  /** What the form was made from. */
  const [base, setBase] = useState(read);
  const editor = useEditor(() => editorFormOf(read.object));
  const [chosen, setSample] = useState<Sample | null>(null);
  const { data: stored = [] } = useQuery(samplesQuery(workspace.id, read.object.id));
  const [newest] = stored;
  const [example] = useState(firstExample);
  const [first, setFirst] = useState<Sample | null>(null);
  // The first that comes stays, whatever comes while one writes.
  if (first === null && newest) setFirst(sampleOf(newest.id, newest));
  const change = changeOf(editor.form, base.object);
  const isChanged = Object.keys(change).length > 0;
  const gone = useRef(false);
  const begin = (with_: Tagged<PublishingEndpoint>) => {
    setBase(with_);
    editor.reset(editorFormOf(with_.object));
  };
  const isElsewhere = read.version !== base.version;
  if (isElsewhere && !isChanged) begin(read);
  const save = useMutation({
    mutationFn: (version: string | null) => updateEndpoint(workspace.id, base.object.id, change, version),
    onSuccess: (answer) => {
      client.setQueryData(endpointQuery(workspace.id, base.object.id).queryKey, answer);
      begin(answer);
      notifyDone('Saved');
      void refreshEndpoints(client, workspace.id);
    },
    onError: (error) => {
      // What they saved is needed to choose.
      if (error instanceof ApiProblem && error.status === PRECONDITION_FAILED)
        void client.invalidateQueries({ queryKey: endpointQuery(workspace.id, base.object.id).queryKey });
    },
  });
  const isConflict = save.error instanceof ApiProblem && save.error.status === PRECONDITION_FAILED;
  return {
    editor,
    change: isChanged ? change : null,
    sample: chosen ?? first ?? example,
    setSample,
    stored,
    save: () => save.mutate(base.version),
    saving: save.isPending,
    problem: isConflict ? null : save.error,
    refused: save.error instanceof ApiProblem ? save.error.faults : [],
    discard: () => {
      save.reset();
      begin(read);
    },
    conflict:
      isElsewhere && isChanged ? { theirs: read.object, overwrite: () => save.mutate(read.version) } : null,
    isUnsaved: () => isChanged && !gone.current,
    forget: () => (gone.current = true),
  };
}
