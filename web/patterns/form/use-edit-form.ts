import { type ApiForm, useApiForm } from './use-api-form.ts';
import { useBase } from './use-base.ts';

interface EditFormOptions<O, V, R> {
  /** Null creates one. */
  object: O;
  /** Path of its collection under `/api/v1`: `/links`. */
  path: string;
  fill: (object: O) => V;
  /** Returns the PATCH body: what differs from `base`, or all of it. */
  getChange: (values: V, base: NonNullable<O>) => object;
  /** @param version to name in the edit; null for a new object */
  save: (values: V, base: O, version: string | null) => Promise<R>;
  /** @param reload fills a form that stays on the page from what was saved */
  done: (answer: R, reload: () => Promise<void>) => void;
}

/**
 * The form that creates or edits an object. An edit doesn't undo what others changed meanwhile: it is refused, and
 * `reload` takes over their changes in the fields that were not edited here.
 * @returns the form, with the object that it was filled from
 */
export function useEditForm<O extends { id: string } | null, V extends object, R>(
  options: EditFormOptions<O, V, R>,
): ApiForm<V> & { base: O } {
  const { object, path, fill, getChange, save, done } = options;
  const base = useBase(object, path, (one, other) => getChange(fill(one), other));
  const form = useApiForm<V, R>(
    fill(object),
    async (values) => save(values, base.object, await base.getVersion()),
    (answer, _values, { refill }) => done(answer, async () => refill(fill(await base.reload()))),
  );
  return {
    ...form,
    base: base.object,
    reload: async () => form.refill(fill(await base.reload())),
  };
}
