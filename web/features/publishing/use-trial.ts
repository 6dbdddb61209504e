/** Previews the edited endpoint on a sample, shortly after the last change. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trialQuery } from '../../api/publishing.ts';
import type { EndpointTrialAnswer } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { type EditorForm, toTrial } from './editor-form.ts';
import type { Sample } from './sample.ts';

const TYPING_MS = 300;

export interface Trial {
  answer: EndpointTrialAnswer | undefined;
  /** Why the trial could not run. */
  error: unknown;
  /** Whether the answer belongs to an earlier version of the form. */
  pending: boolean;
}

/** @param endpointId null for an endpoint that isn't saved yet */
export function useTrial(endpointId: string | null, form: EditorForm, sample: Sample): Trial {
  const { workspace } = useWorkspace();
  const may = useCan('publishing:write');
  const request = JSON.stringify({ ...toTrial(form), ...sample.received });
  const [debounced] = useDebouncedValue(request, TYPING_MS);
  const { data, error, isFetching } = useQuery({
    ...trialQuery(workspace.id, endpointId, debounced),
    enabled: may,
    placeholderData: keepPreviousData,
  });
  return { answer: data, error, pending: isFetching || debounced !== request };
}
