/** Bodies as they are shown: what is secret in them is not. */
import type { RuleChange } from '../../api/rules.ts';

const hidden = (headers: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === null ? null : '…']));

export const curlBodyOf = <B extends RuleChange>(body: B): B =>
  body.actions
    ? {
        ...body,
        actions: body.actions.map((action) =>
          action.type === 'call_webhook'
            ? {
                ...action,
                ...(action.headers && { headers: hidden(action.headers) }),
                ...(action.secret && { secret: '…' }),
              }
            : action,
        ),
      }
    : body;
