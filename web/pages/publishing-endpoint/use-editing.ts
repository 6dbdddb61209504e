/** The editor of an endpoint that exists, with the sample that its templates are tried on. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import {
  type EndpointChange,
  endpointQuery,
  refreshEndpoints,
  samplesQuery,
  updateEndpoint,
} from '../../api/publishing.ts';
import type { PublishingEndpoint, PublishingSample } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { changeOf, editorFormOf } from './editor-form.ts';
import { firstExample, type Sample, sampleOf } from './sample.ts';
import { type Editor, useEditor } from './use-editor.ts';
import { type SavedForm, useSavedForm } from './use-saved-form.ts';

export interface Editing extends SavedForm<PublishingEndpoint, EndpointChange> {
  editor: Editor;
  sample: Sample;
  setSample: (sample: Sample) => void;
  stored: readonly PublishingSample[];
}

export function useEditing(read: Tagged<PublishingEndpoint>): Editing {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const editor = useEditor(() => editorFormOf(read.object));
  const { id } = read.object;
  const [chosen, setSample] = useState<Sample | null>(null);
  const { data: stored = [] } = useQuery(samplesQuery(workspace.id, id));
  const [newest] = stored;
  const [example] = useState(firstExample);
  const [first, setFirst] = useState<Sample | null>(null);
  // The first that comes stays, whatever comes while one writes.
  if (first === null && newest) setFirst(sampleOf(newest.id, newest));
  const saved = useSavedForm<PublishingEndpoint, EndpointChange>({
    read,
    queryKey: endpointQuery(workspace.id, id).queryKey,
    changeOf: (base) => changeOf(editor.form, base),
    reset: (endpoint) => editor.reset(editorFormOf(endpoint)),
    update: (change, version) => updateEndpoint(workspace.id, id, change, version),
    refresh: () => refreshEndpoints(client, workspace.id),
  });
  return { ...saved, editor, sample: chosen ?? first ?? example, setSample, stored };
}
