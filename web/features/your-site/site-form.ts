/** The values of the browser key form, the request body made of them, and the snippet for the user's page. */
import { t } from '../../copy/text.ts';
import type { NewApiKey } from '../../api/api-keys.ts';
import type { ScopeName } from '../../api/types.ts';
import { getExpiry, type KeyForm } from '../api-keys/key-form.ts';

export interface SiteForm {
  name: string;
  allowed_origins: string[];
  scopes: ScopeName[];
  expires_at: KeyForm['expires_at'];
  limit: number;
}

export const emptySiteForm = (): SiteForm => ({
  name: t('My site'),
  allowed_origins: [],
  scopes: ['models:invoke'],
  expires_at: { lifetime: 90, date: '' },
  limit: 60,
});

/** Describes the permissions of a browser key by scope. */
export const PERMISSIONS: Partial<Record<ScopeName, string>> = {
  'models:read': t('List AI models'),
  'models:invoke': t('Call AI models'),
  'links:create': t('Create short links'),
  'publishing:publish': t('Publish to endpoints'),
};

/** The burst is a fifth of the requests per minute. */
const BURST_SHARE = 5;

export const toSiteBody = (form: SiteForm): NewApiKey => ({
  name: form.name.trim(),
  scopes: form.scopes,
  allowed_origins: form.allowed_origins,
  expires_at: getExpiry(form.expires_at),
  rate_limit: { limit: form.limit, burst: Math.ceil(form.limit / BURST_SHARE) },
});

/** Returns HTML that calls the API with the key and shows the response. */
export function snippetFor(secret: string, scopes: readonly ScopeName[], origin: string): string {
  const chat = scopes.includes('models:invoke');
  const call = chat
    ? `await fetch('${origin}/api/v1/chat/completions', {
    method: 'POST',
    headers: {
      Authorization: 'Bearer ${secret}',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      model: 'fairlead/echo',
      messages: [{ role: 'user', content: 'Hello from my site!' }],
    }),
  })`
    : `await fetch('${origin}/api/v1/me', {
    headers: { Authorization: 'Bearer ${secret}' },
  })`;
  const show = chat ? 'body.choices[0].message.content' : 'JSON.stringify(body)';
  return `<p id="answer">…</p>
<script type="module">
  const response = ${call};
  const body = await response.json();
  document.getElementById('answer').textContent = ${show};
</script>`;
}
