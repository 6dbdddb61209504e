/**
 * A form of something that exists: what is written stays until it is saved or given up, whatever others do meanwhile. What
 * others saved is shown at once where nothing was written here, else it is told, and one chooses.
 */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import { notifyDone } from '../../ui/notify.ts';

export interface SavedForm<Shown, Change> {
  /** As it was read for the form. */
  base: Shown;
  /** The body of the PATCH; null where nothing was changed. */
  change: Change | null;
  save: () => void;
  saving: boolean;
  problem: unknown;
  refused: readonly Fault[];
  /** Gives up what was written. */
  discard: () => void;
  /** Somebody else changed what is being changed here. */
  conflict: { theirs: Shown; overwrite: () => void } | null;
  isUnsaved: () => boolean;
  /** It is gone: there is nothing to save. */
  forget: () => void;
}

interface SavedFormOptions<Shown, Change> {
  read: Tagged<Shown>;
  /** Under which it is read. */
  queryKey: QueryKey;
  /** What the form would change. */
  changeOf: (base: Shown) => Change;
  /** Shows it in the form. */
  reset: (object: Shown) => void;
  update: (change: Change, version: string | null) => Promise<Tagged<Shown>>;
  /** Reads anew what shows it elsewhere. */
  refresh: () => unknown;
}

const PRECONDITION_FAILED = 412;
const isOutdated = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === PRECONDITION_FAILED;

export function useSavedForm<Shown, Change extends object>(
  options: SavedFormOptions<Shown, Change>,
): SavedForm<Shown, Change> {
  const { read, queryKey, changeOf, reset, update, refresh } = options;
  const client = useQueryClient();
  /** What the form was made from. */
  const [base, setBase] = useState(read);
  const change = changeOf(base.object);
  const isChanged = Object.keys(change).length > 0;
  const gone = useRef(false);
  const begin = (with_: Tagged<Shown>) => {
    setBase(with_);
    reset(with_.object);
  };
  const isElsewhere = read.version !== base.version;
  if (isElsewhere && !isChanged) begin(read);
  const save = useMutation({
    mutationFn: (version: string | null) => update(change, version),
    onSuccess: (answer) => {
      client.setQueryData(queryKey, answer);
      begin(answer);
      notifyDone('Saved');
      void refresh();
    },
    onError: (error) => {
      // What they saved is needed to choose.
      if (isOutdated(error)) void client.invalidateQueries({ queryKey });
    },
  });
  return {
    base: base.object,
    change: isChanged ? change : null,
    save: () => save.mutate(base.version),
    saving: save.isPending,
    problem: isOutdated(save.error) ? null : save.error,
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
