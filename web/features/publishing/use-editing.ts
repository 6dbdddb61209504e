/** The editor state of an existing endpoint, with the sample for its preview. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tagged } from '../../api/call.ts';
import {
  type EndpointChange,
  endpointQuery,
  refreshEndpoints,
  samplesQuery,
  updateEndpoint,
} from '../../api/publishing.ts';
import type { PublishingEndpoint, PublishingSample } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { toEditorForm, toUpdateBody } from './editor-form.ts';
import { firstExample, type Sample, toSample } from './sample.ts';
import { type Editor, useEditor } from './use-editor.ts';
import { type SavedForm, useSavedForm } from '../../patterns/workbench/use-saved-form.ts';

export interface Editing extends SavedForm<PublishingEndpoint, EndpointChange> {
  editor: Editor;
  sample: Sample;
  setSample: (sample: Sample) => void;
  stored: readonly PublishingSample[];
}

export function useEditing(read: Tagged<PublishingEndpoint>): Editing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const editor = useEditor(() => toEditorForm(read.object));
  const { id } = read.object;
  const [chosen, setSample] = useState<Sample | null>(null);
  const { data: stored = [] } = useQuery(samplesQuery(workspace.id, id));
  const [newest] = stored;
  const [example] = useState(firstExample);
  const [first, setFirst] = useState<Sample | null>(null);
  // Keeps the first sample, so that new requests don't change the preview.
  if (first === null && newest) setFirst(toSample(newest.id, newest));
  const saved = useSavedForm<PublishingEndpoint, EndpointChange>({
    read,
    queryKey: endpointQuery(workspace.id, id).queryKey,
    getChange: (base) => toUpdateBody(editor.form, base),
    reset: (endpoint) => editor.reset(toEditorForm(endpoint)),
    call: (change) => updateEndpoint(id, change),
    refresh: () => refreshEndpoints(client, workspace.id),
  });
  return { ...saved, editor, sample: chosen ?? first ?? example, setSample, stored };
}
