/** The configuration of Scalar. Features that call other servers are turned off. */
import type { createApiReference } from '@scalar/api-reference';
import { currentScheme } from './color-scheme.ts';

type Configuration = Parameters<typeof createApiReference>[1];

/** Stand in the examples until a key is pasted; and for a session, which only a browser has. */
const NO_KEY = 'YOUR_API_KEY';
const NO_SESSION = 'YOUR_SESSION';

/** All that may be picked beside cURL; each is hidden unless it is named here. */
const HIDDEN_CLIENTS: Record<string, true | string[]> = {
  c: true,
  clojure: true,
  csharp: true,
  dart: true,
  fsharp: true,
  go: true,
  http: true,
  java: true,
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  julia: true,
  kotlin: true,
  node: true,
  objc: true,
  ocaml: true,
  php: ['guzzle', 'laravel'],
  powershell: true,
  python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
  r: true,
  ruby: true,
  rust: true,
  shell: ['httpie', 'wget'],
  swift: true,
};

/** @param key goes into every example; null for none. */
export const scalarConfiguration = (key: string | null): Configuration => ({
  url: '/openapi.json',
  // The address that the page was loaded from, whatever stands between: the examples then run from here.
  servers: [{ url: window.location.origin }],
  authentication: {
    preferredSecurityScheme: 'api_key',
    securitySchemes: { api_key: { token: key ?? NO_KEY }, session: { value: NO_SESSION } },
  },
  persistAuth: false,

  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  // Trying an operation is what the copied cURL is for: it shows what is sent.
  hideClientButton: true,
  hideTestRequestButton: true,

  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: HIDDEN_CLIENTS,
  documentDownloadType: 'direct',
  theme: 'none',
  forceDarkModeState: currentScheme(),
  hideDarkModeToggle: true,
  modelsSectionLabel: 'Schemas',
  defaultOpenFirstTag: true,
  orderSchemaPropertiesBy: 'preserve',
  generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
});
