/** Redacts secrets in request bodies shown as cURL. */
import type { RuleChange } from '../../api/rules.ts';

const redact = (headers: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === null ? null : '…']));

export const redactSecrets = <B extends RuleChange>(body: B): B =>
  body.actions
    ? {
        ...body,
        actions: body.actions.map((action) =>
          action.type === 'call_webhook'
            ? {
                ...action,
                ...(action.headers && { headers: redact(action.headers) }),
                ...(action.secret && { secret: '…' }),
              }
            : action,
        ),
      }
    : body;
