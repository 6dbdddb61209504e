/** All pages and their paths. Pages are loaded on their first visit; loaders read what a page requires. */
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { workspacesQuery } from '../api/workspaces.ts';
import { forgotPassword, invite, resetPassword, signIn, signUp } from './entry-routes.ts';
import { root, signedIn } from './root-route.ts';
import { connect } from './connect-route.ts';
import { event, requests } from './developer-routes.ts';
import { newPublishingEndpoint, publishing, publishingEndpoint } from './automation-routes.ts';
import { budgets, modelProvider, modelProviders, modelRoutes, models, modelUsage } from './model-routes.ts';
import { media, messages } from './message-routes.ts';
import { open } from './open-route.ts';
import { newRule, rule, rules } from './rule-routes.ts';
import { flag, oneOf, searchParams, text } from '../patterns/search-params.ts';
import { analytics, domains, link, links, tags } from './link-routes.ts';
import { lastWorkspace } from './last-workspace.ts';
import { PageFailed, PageLoading, PageMissing } from '../patterns/PageStates.tsx';
import { workspace } from './workspace-route.ts';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: async ({ context }) => {
    await signedIn(context, '/');
    const workspaces = await context.queryClient.ensureQueryData(workspacesQuery);
    const last = workspaces.find(({ slug }) => slug === lastWorkspace.get()) ?? workspaces[0];
    if (!last) throw redirect({ to: '/start' });
    throw redirect({ to: '/w/$workspace', params: { workspace: last.slug } });
  },
});

const start = createRoute({
  getParentRoute: () => root,
  path: '/start',
  loader: ({ context, location }) => signedIn(context, location.href),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/overview/Start.tsx')), 'Start'),
});

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  validateSearch: searchParams({ range: oneOf('24h', '7d', '30d') }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/overview/Overview.tsx')),
    'Overview',
  ),
});

const apiKeys = createRoute({
  getParentRoute: () => workspace,
  path: '/api-keys',
  validateSearch: searchParams({
    q: text,
    state: oneOf('active', 'expired', 'revoked'),
    id: text,
    create: flag,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/api-keys/ApiKeys.tsx')),
    'ApiKeys',
  ),
});

const yourSite = createRoute({
  getParentRoute: () => workspace,
  path: '/your-site',
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/your-site/YourSite.tsx')),
    'YourSite',
  ),
});

const instances = createRoute({
  getParentRoute: () => workspace,
  path: '/instances',
  validateSearch: searchParams({
    q: text,
    channel: text,
    state: oneOf(
      'created',
      'connecting',
      'connected',
      'reconnecting',
      'restricted',
      'action_required',
      'disconnected',
      'failed',
    ),
    create: flag,
    with: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/instances/Instances.tsx')),
    'Instances',
  ),
});

const instance = createRoute({
  getParentRoute: () => workspace,
  path: '/instances/$id',
  validateSearch: searchParams({
    tab: oneOf('activity', 'history', 'capabilities', 'settings'),
    range: oneOf('24h', '7d', '30d'),
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/instances/InstancePage.tsx')),
    'InstancePage',
  ),
});

const chats = createRoute({
  getParentRoute: () => workspace,
  path: '/chats',
  validateSearch: searchParams({
    show: oneOf('unread', 'archived'),
    instance: text,
    q: text,
    new: flag,
    to: text,
    message: text,
  }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/chats/Chats.tsx')), 'Chats'),
});

/** The page of the list also shows the chat, so that the list stays while you switch chats. */
const chat = createRoute({ getParentRoute: () => chats, path: '/$id' });

const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: searchParams({
    q: text,
    address: text,
    instance: text,
    blocked: flag,
    id: text,
    create: flag,
    import: flag,
    check: flag,
    job: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/contacts/Contacts.tsx')),
    'Contacts',
  ),
});

const groups = createRoute({
  getParentRoute: () => workspace,
  path: '/groups',
  validateSearch: searchParams({
    q: text,
    instance: text,
    membership: oneOf('joined', 'left', 'removed', 'banned', 'destroyed'),
    open: oneOf('new', 'join'),
    job: text,
  }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/groups/Groups.tsx')), 'Groups'),
});

const group = createRoute({
  getParentRoute: () => workspace,
  path: '/groups/$id',
  validateSearch: searchParams({
    tab: oneOf('settings', 'history'),
    role: oneOf('owner', 'admin', 'member'),
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/groups/GroupPage.tsx')),
    'GroupPage',
  ),
});

const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: searchParams({
    tab: oneOf('catalogue'),
    type: text,
    id: text,
    q: text,
  }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/events/Events.tsx')), 'Events'),
});

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  validateSearch: searchParams({
    q: text,
    state: oneOf('enabled', 'disabled', 'failing'),
    event: text,
    create: flag,
    subscribe: text,
    inspector: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/webhooks/Webhooks.tsx')),
    'Webhooks',
  ),
});

const webhook = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks/$id',
  validateSearch: searchParams({
    tab: oneOf('settings'),
    status: oneOf('pending', 'sending', 'succeeded', 'exhausted', 'canceled'),
    event: text,
    since: text,
    delivery: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/webhooks/WebhookPage.tsx')),
    'WebhookPage',
  ),
});

const inspector = createRoute({
  getParentRoute: () => workspace,
  path: '/inspector',
  validateSearch: searchParams({ id: text, request: text, create: flag }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/inspector/InspectorPage.tsx')),
    'InspectorPage',
  ),
});

const members = createRoute({
  getParentRoute: () => workspace,
  path: '/members',
  validateSearch: searchParams({
    tab: oneOf('invitations'),
    q: text,
    state: oneOf('pending', 'accepted', 'revoked', 'expired'),
    invite: flag,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/members/Members.tsx')),
    'Members',
  ),
});

const auditLog = createRoute({
  getParentRoute: () => workspace,
  path: '/audit-log',
  validateSearch: searchParams({
    action: text,
    actor: text,
    key: text,
    type: text,
    target: text,
    since: text,
    id: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/audit-log/AuditLog.tsx')),
    'AuditLog',
  ),
});

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  validateSearch: searchParams({ tab: oneOf('usage', 'profile', 'sessions') }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/settings/Settings.tsx')),
    'Settings',
  ),
});

const routeTree = root.addChildren([
  home,
  signIn,
  signUp,
  forgotPassword,
  resetPassword,
  invite,
  start,
  workspace.addChildren([
    overview,
    apiKeys,
    yourSite,
    models,
    modelProviders,
    modelProvider,
    modelRoutes,
    budgets,
    modelUsage,
    instances,
    instance,
    chats.addChildren([chat]),
    messages,
    media,
    groups,
    group,
    contacts,
    links,
    link,
    analytics,
    tags,
    domains,
    publishing,
    newPublishingEndpoint,
    publishingEndpoint,
    rules,
    newRule,
    rule,
    connect,
    requests,
    events,
    event,
    webhooks,
    webhook,
    inspector,
    members,
    auditLog,
    settings,
    open,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/user/api',
    context: { queryClient },
    defaultPreload: 'intent',
    // Data is cached by the queries, not by the router: a page that is left shows nothing more after sign-out.
    defaultPreloadStaleTime: 0,
    defaultGcTime: 0,
    defaultPendingComponent: PageLoading,
    defaultPendingMs: 250,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: PageMissing,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
