/** The actions of the page's record, for the search: Ctrl-K finds all actions of the header. */
import { useEffect, useRef } from 'react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { type Action, actionsFor } from './action.ts';

export interface PageAction {
  id: string;
  label: string;
  /** The record. */
  of: string;
  run: () => void;
}

const sources = new Set<() => PageAction[]>();

/** Returns the actions of the records that are shown now. */
export const pageActions = (): PageAction[] => [...sources].flatMap((source) => source());

/** Offers a record's actions in the search for as long as the component is on the page. */
export function usePageActions<T>(record: T, of: string, actions: readonly Action<T>[]): void {
  const { scopes } = useWorkspace();
  const current = useRef<() => PageAction[]>(() => []);
  useEffect(() => {
    current.current = () =>
      actionsFor(actions, record, scopes).map(({ id, label, run }) => ({
        id,
        label: label(record),
        of,
        run: () => run(record),
      }));
  });
  useEffect(() => {
    const source = () => current.current();
    sources.add(source);
    return () => void sources.delete(source);
  }, []);
}
