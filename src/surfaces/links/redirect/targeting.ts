/** Chooses the destination of a visit by the link's targeting rules. */
import type { RouteEntry, Target } from './entry.ts';
import type { TargetingRule } from '../records/redirection.ts';

/** Properties of a visit that rules refer to. */
export interface VisitProperties {
  country: string | null;
  device: string | null;
  os: string | null;
  language: string | null;
}

const includes = (list: readonly string[] | undefined, value: string | null): boolean =>
  list === undefined || (value !== null && list.includes(value));

const matches = ({ when }: TargetingRule, visit: VisitProperties): boolean =>
  includes(when.country, visit.country) &&
  includes(when.device, visit.device) &&
  includes(when.os, visit.os) &&
  includes(when.language, visit.language);

/** Returns the destination of the first matching rule, or else of the link. */
export function chooseTarget({ route, targeted, main }: RouteEntry, of: VisitProperties): Target {
  const nth = route.targeting.findIndex((rule) => matches(rule, of));
  return nth < 0 ? main : targeted[nth]!;
}
