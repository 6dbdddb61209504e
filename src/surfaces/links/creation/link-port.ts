/** Creates links for rules, like `POST /links`; create-app.ts passes it to automation as its `LinksPort`. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import { type LinkRequest, createLinks } from './link-create.ts';
import type { LinkDeps } from './link-deps.ts';
import { CreateLink } from '../records/link.schema.ts';

const checkLink = compileValidator(CreateLink, 'body');

export const createLinkPort = (deps: LinkDeps) => ({
  /** @throws Problem invalid_request, unprocessable, slug_taken, quota_exceeded */
  async create(unit: Unit, workspaceId: string, actorId: string, body: Record<string, unknown>) {
    const checked = checkLink(body);
    if ('error' in checked) throw checked.error;
    const request: LinkRequest = { actorId, body: body as LinkRequest['body'], mustLast: true };
    const [made] = await createLinks(unit, deps, workspaceId, [request]);
    if (made instanceof Problem) throw made;
    return made!.link;
  },
});
