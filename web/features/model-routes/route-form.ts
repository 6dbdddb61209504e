/** The values of the form of a model route, and the request bodies made of them. */
import type { ModelRouteChange, NewModelRoute } from '../../api/model-routes.ts';
import type { ModelRoute } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';

export interface AttemptRow {
  /** Identifies the row while it is edited. */
  key: number;
  model: string;
  /** Empty for the timeout of the provider. */
  timeout_seconds: string;
}

export interface RouteForm {
  name: string;
  attempts: AttemptRow[];
  /** Further errors after which the next model is tried. */
  on: ModelRoute['on'];
  metadata: MetadataPair[];
}

export const MAX_ATTEMPTS = 5;

let lastKey = 0;
export const newAttempt = (row: Partial<AttemptRow> = {}): AttemptRow => ({
  key: ++lastKey,
  model: '',
  timeout_seconds: '',
  ...row,
});

export const toRouteForm = (route: ModelRoute | null): RouteForm => ({
  name: route?.name ?? '',
  attempts: route?.attempts.map(({ model, timeout_seconds: seconds }) =>
    newAttempt({ model, timeout_seconds: seconds?.toString() ?? '' }),
  ) ?? [newAttempt()],
  on: route?.on ?? [],
  metadata: toPairs(route?.metadata),
});

const getWanted = ({ name, attempts, on, metadata }: RouteForm) => ({
  name: name.trim(),
  attempts: attempts.map(({ model, timeout_seconds: seconds }) => ({
    model,
    timeout_seconds: seconds.trim() === '' ? null : Number(seconds),
  })),
  on,
  metadata: getMetadata(metadata),
});

export function toBody(form: RouteForm): NewModelRoute {
  const { on, metadata, ...body } = getWanted(form);
  return {
    ...body,
    ...(on.length > 0 && { on }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Returns a PATCH body: the values that differ from the saved route. */
export const toChange = (form: RouteForm, route: ModelRoute): ModelRouteChange =>
  changes(getWanted(form), route);

/** Returns the rows with one of them moved up or down by one. */
export function moved(rows: readonly AttemptRow[], index: number, by: -1 | 1): AttemptRow[] {
  const rest = rows.toSpliced(index, 1);
  return rest.toSpliced(index + by, 0, rows[index]!);
}
