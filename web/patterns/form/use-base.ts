import { useState } from 'react';
import { outdated, readTagged } from '../../api/edit.ts';
import { useWorkspace } from '../../api/workspace-context.ts';

export interface Base<O> {
  /** The object as the form was filled from it. */
  object: O;
  /**
   * Returns the version to name in the edit.
   * @throws ApiProblem precondition_failed if someone else edited a field of the form
   */
  getVersion: () => Promise<string | null>;
  /** Reads the object again and returns it. */
  reload: () => Promise<O>;
}

/**
 * Keeps the object that a form was filled from. Lists have no versions, so the object is read before it is saved; what
 * the form doesn't show, such as counters, may change meanwhile.
 * @param initial null for a new object
 * @param path of its collection under `/api/v1`: `/links`
 * @param getChange returns the PATCH body that turns `base` into `object`
 */
export function useBase<O extends { id: string } | null>(
  initial: O,
  path: string,
  getChange: (object: NonNullable<O>, base: NonNullable<O>) => object,
): Base<O> {
  const { workspace } = useWorkspace();
  const [base, setBase] = useState<O>(initial);
  const read = () => readTagged<NonNullable<O>>(workspace.id, `${path}/${base?.id}`);
  return {
    object: base,
    async getVersion() {
      if (base === null) return null;
      const { object, version } = await read();
      if (JSON.stringify(getChange(object, base)) !== JSON.stringify(getChange(base, base))) throw outdated();
      return version;
    },
    async reload() {
      const { object } = await read();
      setBase(object);
      return object;
    },
  };
}
