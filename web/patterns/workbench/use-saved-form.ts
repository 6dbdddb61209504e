/**
 * The form of an existing object. Unsaved changes stay until they are saved or discarded, even if others change the
 * object. Changes by others are shown immediately if nothing was edited here; otherwise the user chooses which version
 * to keep.
 */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { t } from '../../copy/text.ts';
import { type ApiCall, sendTagged, type Tagged } from '../../api/call.ts';
import { isOutdated } from '../../api/edit.ts';
import type { Fault } from '../../api/problem.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyDone } from '../../design/notify.ts';
import { getStanding } from './typed-faults.ts';

export interface SavedForm<Shown, Change> {
  /** The version the form was filled with. */
  base: Shown;
  /** The PATCH body; null if nothing changed. */
  change: Change | null;
  save: () => void;
  saving: boolean;
  problem: unknown;
  saveErrors: readonly Fault[];
  /** Discards unsaved changes. */
  discard: () => void;
  /** Set if someone else changed the object while it was edited here. */
  conflict: { theirs: Shown; overwrite: () => void } | null;
  isUnsaved: () => boolean;
  /** Call after the object was deleted, so that unsaved changes are ignored. */
  markDeleted: () => void;
}

interface SavedFormOptions<Shown, Change> {
  read: Tagged<Shown>;
  /** The key of the object's query. */
  queryKey: QueryKey;
  /** Returns the PATCH body of the form. */
  getChange: (base: Shown) => Change;
  /** Fills the form. */
  reset: (object: Shown) => void;
  /** Returns the call that saves a change. */
  call: (change: Change) => ApiCall<Shown>;
  /** Refreshes other queries that show the object. */
  refresh: () => unknown;
}

export function useSavedForm<Shown, Change extends object>(
  options: SavedFormOptions<Shown, Change>,
): SavedForm<Shown, Change> {
  const { read, queryKey, getChange, reset, call, refresh } = options;
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  /** The version the form was filled with. */
  const [base, setBase] = useState(read);
  /** The version that was saved over. */
  const [replaced, setReplaced] = useState<string | null>(null);
  const change = getChange(base.object);
  const isChanged = Object.keys(change).length > 0;
  const deleted = useRef(false);
  const fill = (next: Tagged<Shown>) => {
    setBase(next);
    reset(next.object);
  };
  // After saving, the previous version may be rendered once more.
  const isOutdatedBase = read.version !== base.version && read.version !== replaced;
  if (isOutdatedBase && !isChanged) fill(read);
  const save = useMutation({
    mutationFn: ({ sent, version }: { sent: Change; version: string | null }) =>
      sendTagged(workspace.id, call(sent), { version }),
    onSuccess: (answer, { version }) => {
      setReplaced(version);
      client.setQueryData(queryKey, answer);
      fill(answer);
      notifyDone(t('Changes saved'));
      void refresh();
    },
    onError: (error) => {
      // The other version is needed to resolve the conflict.
      if (isOutdated(error)) void client.invalidateQueries({ queryKey });
    },
  });
  const standing = getStanding(save.error, save.variables?.sent, change);
  return {
    base: base.object,
    change: isChanged ? change : null,
    save: () => save.mutate({ sent: change, version: base.version }),
    saving: save.isPending,
    problem: isOutdated(save.error) ? null : standing.problem,
    saveErrors: standing.faults,
    discard: () => {
      save.reset();
      fill(read);
    },
    conflict:
      isOutdatedBase && isChanged
        ? { theirs: read.object, overwrite: () => save.mutate({ sent: change, version: read.version }) }
        : null,
    isUnsaved: () => isChanged && !deleted.current,
    markDeleted: () => (deleted.current = true),
  };
}
