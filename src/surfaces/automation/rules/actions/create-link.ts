/** The action `create_link`: as `POST /links`, in the transaction that says that it was done. */
import type { Unit } from '../../../../core/unit-of-work.ts';
import type { LinksPort } from '../../ports.ts';
import { outcomeOf, type StepOutcome } from './outcome.ts';

/** @param ruleId public id */
export const createLink = (
  unit: Unit,
  links: LinksPort,
  workspaceId: string,
  ruleId: string,
  body: Record<string, unknown>,
): Promise<StepOutcome> =>
  outcomeOf(async () => {
    const { id, short_url: shortUrl } = await links.create(unit, workspaceId, ruleId, body);
    return { id, short_url: shortUrl, url: body['url'] };
  });
