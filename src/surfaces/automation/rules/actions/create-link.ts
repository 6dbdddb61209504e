/** The action `create_link`: like `POST /links`, in the transaction that records the step. */
import type { Unit } from '../../../../core/unit/unit-of-work.ts';
import type { LinksPort } from '../../ports/ports.ts';
import { toOutcome, type StepOutcome } from '../../ports/outcome.ts';

/**
 * Creates the link.
 * @param ruleId public ID
 * @returns the outcome, and the public ID of the link, if it was created
 */
export async function createLink(
  unit: Unit,
  links: LinksPort,
  workspaceId: string,
  ruleId: string,
  body: Record<string, unknown>,
): Promise<{ outcome: StepOutcome; made: string[] }> {
  const made: string[] = [];
  const outcome = await toOutcome(async () => {
    const { id, short_url: shortUrl } = await links.create(unit, workspaceId, ruleId, body);
    made.push(id);
    return { id, short_url: shortUrl, url: body['url'] };
  });
  return { outcome, made };
}
