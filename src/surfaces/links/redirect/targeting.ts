/** Where a visit of a link goes: by its rules. */
import type { Entry, Target } from './entry.ts';
import type { TargetingRule } from './route.ts';

/** What rules look at. */
export interface Circumstances {
  country: string | null;
  device: string | null;
  os: string | null;
  language: string | null;
}

const includes = (list: readonly string[] | undefined, value: string | null): boolean =>
  list === undefined || (value !== null && list.includes(value));

const fits = ({ when }: TargetingRule, of: Circumstances): boolean =>
  includes(when.country, of.country) &&
  includes(when.device, of.device) &&
  includes(when.os, of.os) &&
  includes(when.language, of.language);

/** The target of the first rule that fits, else the link's own. */
export function chooseTarget({ route, targeted, main }: Entry, of: Circumstances): Target {
  const nth = route.targeting.findIndex((rule) => fits(rule, of));
  return nth < 0 ? main : targeted[nth]!;
}
