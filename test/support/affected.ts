/**
 * Tells which of the long tests (kills, outages, upgrades, journeys, pages, channels) a change affects. The full tier runs
 * only those; the nightly tier runs all of them.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from './product.ts';
import { importClosure } from './test-imports.ts';

/** The files that run only when a change affects them. */
export const CONDITIONAL =
  /^test\/(browser|conformance|crash|journeys|upgrade)\/|^test\/operations\/rotate-secret|^test\/slow\/platform\/embedded-postgres\//;
/**
 * Run on every change: kills of the product under load on the platform that all surfaces share, each page of the console
 * once, and one driver.
 */
export const ALWAYS = [
  'test/browser/console.test.ts',
  'test/browser/first-call.test.ts',
  'test/browser/inspector-link.test.ts',
  'test/browser/links.test.ts',
  'test/conformance/sandbox.test.ts',
  'test/conformance/suite/results.test.ts',
  'test/crash/crash.test.ts',
  'test/crash/publish-crash.test.ts',
];

/** Changes that affect every conditional test. */
const EVERYTHING = ['package-lock.json'];

/** What all pages of the console are made of. */
const CONSOLE = ['web/app/', 'web/design/', 'web/patterns/', 'web/api/', 'src/app/console/'];
const CHANNEL_CONTRACT = ['src/channels/contract/', 'src/surfaces/messaging/connections/'];
const HTTP_API = [...CHANNEL_CONTRACT, 'src/channels/http-api/'];
const HTTP_CHANNEL = [...HTTP_API, 'src/channels/http/', 'docs/http-channel.md'];
const EMAIL = [...CHANNEL_CONTRACT, 'src/channels/email/'];
const WHATSAPP = [...HTTP_API, 'src/channels/whatsapp/'];
const XMPP = [...CHANNEL_CONTRACT, 'src/channels/xmpp/'];
const EMBEDDED = ['src/platform/embedded-postgres/'];
const SECRETS = ['src/ops/secret-rotation/', 'src/platform/crypto/', 'src/platform/db/migrations/'];

/**
 * What each conditional test exercises, beside itself and its support files: files, or folders with a slash at the end.
 * The shared platform (src/platform/http, src/platform/db) is not listed: the tests in `ALWAYS` cover it.
 */
export const EXERCISED: Record<string, readonly string[]> = {
  'test/browser/analytics.test.ts': [...CONSOLE, 'web/features/analytics/', 'src/surfaces/links/analytics/'],
  'test/browser/instances.test.ts': [
    ...CONSOLE,
    'web/features/instances/',
    'src/surfaces/messaging/instances/',
  ],
  'test/browser/chats.test.ts': [...CONSOLE, 'web/features/chats/', 'src/surfaces/messaging/chats/'],
  'test/browser/connect.test.ts': [...CONSOLE, 'web/features/connect/', 'src/core/integrations/'],
  'test/browser/contacts.test.ts': [...CONSOLE, 'web/features/contacts/', 'src/surfaces/messaging/contacts/'],
  'test/browser/deep-links.test.ts': [
    ...CONSOLE,
    'web/features/audit-log/',
    'web/features/events/',
    'web/features/links/',
    'src/core/workspaces/audit-log.routes.ts',
  ],
  'test/browser/first-view.test.ts': ['web/reference/', 'src/app/reference/', 'src/core/api/openapi.ts'],
  'test/browser/forms.test.ts': CONSOLE,
  'test/browser/groups.test.ts': [...CONSOLE, 'web/features/groups/', 'src/surfaces/messaging/groups/'],
  'test/browser/messages.test.ts': [
    ...CONSOLE,
    'web/features/chats/',
    'web/features/media/',
    'web/features/messages/',
    'src/surfaces/messaging/messages/',
  ],
  'test/browser/models.test.ts': [
    ...CONSOLE,
    'web/features/budgets/',
    'web/features/model-providers/',
    'web/features/model-routes/',
    'web/features/model-usage/',
    'web/features/models/',
    'src/surfaces/models/',
  ],
  'test/browser/publishing.test.ts': [
    ...CONSOLE,
    'web/features/publications/',
    'web/features/publishing/',
    'src/surfaces/automation/publications/',
    'src/surfaces/automation/publishing-endpoints/',
  ],
  'test/browser/reference.test.ts': ['web/reference/', 'src/app/reference/', 'src/core/api/openapi.ts'],
  'test/browser/requests.test.ts': [
    ...CONSOLE,
    'web/features/audit-log/',
    'web/features/events/',
    'web/features/overview/',
    'web/features/requests/',
    'src/core/activity/',
    'src/core/requests/',
  ],
  'test/browser/rules.test.ts': [...CONSOLE, 'web/features/rules/', 'src/surfaces/automation/rules/'],
  'test/browser/storage.test.ts': [...CONSOLE, 'src/platform/storage/'],
  'test/browser/webhooks.test.ts': [
    ...CONSOLE,
    'web/features/inspector/',
    'web/features/webhooks/',
    'src/core/webhooks/',
  ],
  'test/conformance/channel-tools.test.ts': ['test/support/channels/tools/'],
  'test/conformance/email-api.test.ts': EMAIL,
  'test/conformance/email-driver.test.ts': EMAIL,
  'test/conformance/email-reader.test.ts': EMAIL,
  'test/conformance/email-servers.test.ts': EMAIL,
  'test/conformance/email.test.ts': EMAIL,
  'test/conformance/http.test.ts': HTTP_CHANNEL,
  'test/conformance/sms-gateway.test.ts': [...HTTP_API, 'src/channels/sms-gateway/'],
  'test/conformance/telegram-crabline.test.ts': [
    ...HTTP_API,
    'src/channels/telegram/',
    'test/support/channels/tools/',
  ],
  'test/conformance/telegram.test.ts': [
    ...HTTP_API,
    'src/channels/telegram/',
    'test/support/channels/telegram/',
  ],
  'test/conformance/twilio.test.ts': [...HTTP_API, 'src/channels/twilio/'],
  'test/conformance/whatsapp-api.test.ts': [...WHATSAPP, 'src/surfaces/messaging/ingress/'],
  'test/conformance/whatsapp-description.test.ts': WHATSAPP,
  'test/conformance/whatsapp.test.ts': WHATSAPP,
  'test/conformance/xmpp-api.test.ts': XMPP,
  'test/conformance/xmpp-connection.test.ts': XMPP,
  'test/conformance/xmpp-peer.test.ts': XMPP,
  'test/conformance/xmpp-said.test.ts': XMPP,
  'test/conformance/xmpp.test.ts': XMPP,
  'test/crash/all-surfaces.test.ts': [
    'src/app/create-app.ts',
    'src/app/background.ts',
    'src/app/server-process.ts',
  ],
  'test/crash/click-crash.test.ts': ['src/surfaces/links/clicks/', 'src/surfaces/links/redirect/'],
  'test/crash/click-outage.test.ts': ['src/surfaces/links/clicks/', 'src/surfaces/links/redirect/'],
  'test/crash/delivery-crash.test.ts': ['src/core/webhooks/delivery/', 'src/core/events/sequencer.ts'],
  'test/crash/delivery-takeover.test.ts': ['src/core/webhooks/delivery/', 'src/platform/queue/lease.ts'],
  'test/crash/http-crash.test.ts': [
    'src/channels/http/',
    'src/surfaces/messaging/ingress/',
    'src/surfaces/messaging/queue/',
  ],
  'test/crash/mail-crash.test.ts': ['src/channels/email/', 'src/surfaces/messaging/queue/'],
  'test/crash/mail-outage.test.ts': ['src/channels/email/', 'src/surfaces/messaging/connections/'],
  'test/crash/media-memory.test.ts': [
    'src/surfaces/messaging/media/',
    'src/platform/storage/s3/',
    'src/platform/http/upload.ts',
  ],
  'test/crash/messaging-crash.test.ts': [
    'src/surfaces/messaging/queue/',
    'src/surfaces/messaging/connections/',
    'src/surfaces/messaging/inbound/',
  ],
  'test/crash/model-budgets.test.ts': ['src/surfaces/models/'],
  'test/crash/restore-crash.test.ts': ['src/ops/backup/'],
  'test/crash/revocation.test.ts': ['src/core/auth/', 'src/core/api/gate.ts'],
  'test/crash/rules-crash.test.ts': ['src/surfaces/automation/rules/'],
  'test/crash/whatsapp-crash.test.ts': [
    'src/channels/whatsapp/',
    'src/surfaces/messaging/ingress/',
    'src/surfaces/messaging/queue/',
  ],
  'test/crash/telegram-crash.test.ts': ['src/channels/telegram/', 'src/surfaces/messaging/queue/'],
  'test/crash/xmpp-crash.test.ts': ['src/channels/xmpp/', 'src/surfaces/messaging/queue/'],
  'test/journeys/guides.test.ts': ['docs/'],
  'test/journeys/integrations-node-red.test.ts': ['src/core/integrations/'],
  'test/journeys/models.test.ts': ['src/surfaces/models/'],
  'test/journeys/node-red.test.ts': ['src/core/webhooks/delivery/', 'docs/verify-webhooks.md'],
  'test/journeys/publishing.test.ts': [
    'src/surfaces/automation/publications/',
    'src/surfaces/automation/publishing-endpoints/',
  ],
  'test/journeys/verify-webhooks.test.ts': ['src/core/webhooks/delivery/', 'docs/verify-webhooks.md'],
  'test/journeys/whole.test.ts': [
    'package.json',
    'docs/journey.md',
    'src/ops/backup/',
    'src/ops/move/',
    'src/app/primary.ts',
  ],
  'test/operations/rotate-secret-nodes.test.ts': SECRETS,
  'test/operations/rotate-secret.test.ts': SECRETS,
  'test/slow/platform/embedded-postgres/accounts.test.ts': EMBEDDED,
  'test/slow/platform/embedded-postgres/crash.isolated.test.ts': EMBEDDED,
  'test/slow/platform/embedded-postgres/disk-space.test.ts': EMBEDDED,
  'test/slow/platform/embedded-postgres/embedded.isolated.test.ts': EMBEDDED,
  'test/slow/platform/embedded-postgres/refusals.isolated.test.ts': EMBEDDED,
  'test/upgrade/rolling.test.ts': ['src/platform/db/migrations/', 'src/platform/db/migrate.ts'],
  'test/upgrade/start.test.ts': [
    'src/platform/db/migrations/',
    'src/platform/db/migrate.ts',
    'src/platform/db/upgrade-lock.ts',
  ],
  'test/upgrade/upgrade.test.ts': [
    'src/platform/db/migrations/',
    'src/platform/db/migrate.ts',
    'src/ops/backup/before-migrations.ts',
  ],
};

/** Tells whether a change affects a conditional test. @param changed paths relative to the repository */
export function affectedBy(file: string, changed: ReadonlySet<string>): boolean {
  const support = [...importClosure(file)].filter((path) => !path.startsWith('src/'));
  const exercised = [...EVERYTHING, ...support, ...(EXERCISED[file] ?? [])];
  return [...changed].some((path) =>
    exercised.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one)),
  );
}

/** Branches that a change may be going to, in the order in which they are tried. */
const TARGETS = ['origin/HEAD', 'origin/main', 'main'];

type Git = (...args: string[]) => string | null;

/** Runs git in a folder. @returns its output, or null where it fails: no repository, no such commit */
const gitIn =
  (folder: string): Git =>
  (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };

/**
 * Returns the commit to compare with: `since`, else the point where this branch left the main one, else the first
 * parent of HEAD (the state before the last merge or commit).
 */
function baseCommit(git: Git, since: string | null): string | null {
  if (since) return git('rev-parse', '--verify', '--quiet', `${since}^{commit}`);
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD');
  for (const target of TARGETS) {
    const base = git('merge-base', 'HEAD', target);
    if (base && base !== head) return base;
  }
  return git('rev-parse', '--verify', '--quiet', 'HEAD^1');
}

const paths = (text: string): string[] => text.split('\0').filter(Boolean);

/**
 * Returns the paths that differ from the base commit, uncommitted ones included; or the reason why they can't be
 * determined. CHANGED_SINCE names another base commit.
 */
export function changedFiles(
  folder = ROOT,
  since: string | null = process.env['CHANGED_SINCE'] ?? null,
): { changed: ReadonlySet<string> | string; since: string | null } {
  const git = gitIn(folder);
  const base = baseCommit(git, since);
  if (!base) return { changed: 'there is no earlier commit to compare with', since: null };
  const tracked = git('diff', '--name-only', '--no-renames', '-z', base);
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z');
  if (tracked === null || untracked === null) return { changed: 'git failed', since: null };
  return { changed: new Set([...paths(tracked), ...paths(untracked)]), since: base.slice(0, 12) };
}
