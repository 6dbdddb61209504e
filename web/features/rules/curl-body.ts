/** Redacts secrets in request bodies shown as cURL. */
import type { RuleChange } from '../../api/rules.ts';
import { MASK, maskValues } from '../../patterns/form/mask.ts';

export const redactSecrets = <B extends RuleChange>(body: B): B =>
  body.actions
    ? {
        ...body,
        actions: body.actions.map((action) =>
          action.type === 'call_webhook'
            ? {
                ...action,
                ...(action.headers && { headers: maskValues(action.headers) }),
                ...(action.secret && { secret: MASK }),
              }
            : action,
        ),
      }
    : body;
