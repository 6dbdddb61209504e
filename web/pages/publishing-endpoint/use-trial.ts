/** What would be published of a sample by a definition that need not be saved: asked for a moment after the last key. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trialQuery } from '../../api/publishing.ts';
import type { EndpointTrialAnswer } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { definitionOf, type EditorForm } from './editor-form.ts';
import type { Sample } from './sample.ts';

const TYPED_MS = 300;

export interface Trial {
  answer: EndpointTrialAnswer | undefined;
  /** It could not be tried at all. */
  error: unknown;
  /** What is shown is of an earlier text. */
  pending: boolean;
}

/** @param endpointId null for one that is not saved yet */
export function useTrial(endpointId: string | null, form: EditorForm, sample: Sample): Trial {
  const { workspace } = useWorkspace();
  const may = useCan('publishing:write');
  const asked = JSON.stringify({ ...definitionOf(form), ...sample.received });
  const [settled] = useDebouncedValue(asked, TYPED_MS);
  const { data, error, isFetching } = useQuery({
    ...trialQuery(workspace.id, endpointId, settled),
    enabled: may,
    placeholderData: keepPreviousData,
  });
  return { answer: data, error, pending: isFetching || settled !== asked };
}
