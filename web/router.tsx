/** Every page and its address. Pages are loaded with their first visit; loaders bring what a page can't do without. */
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { workspacesQuery } from './api/workspaces.ts';
import { forgotPassword, invite, resetPassword, signIn, signUp } from './entry-routes.ts';
import { root, signedIn } from './root-route.ts';
import { connect } from './connect-route.ts';
import { newPublishingEndpoint, publishing, publishingEndpoint } from './automation-routes.ts';
import { newRule, rule, rules } from './rule-routes.ts';
import { flag, oneOf, searchParams, text } from './search-params.ts';
import { analytics, domains, link, links, tags } from './link-routes.ts';
import { lastWorkspace } from './shell/last-workspace.ts';
import { PageFailed, PageLoading, PageMissing } from './shell/PageStates.tsx';
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
  component: lazyRouteComponent(() => import('./pages/start/Start.tsx'), 'Start'),
});

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/Overview.tsx'), 'Overview'),
});

const apiKeys = createRoute({
  getParentRoute: () => workspace,
  path: '/api-keys',
  validateSearch: searchParams({
    state: oneOf('active', 'expired', 'revoked'),
    id: text,
    create: flag,
  }),
  component: lazyRouteComponent(() => import('./pages/api-keys/ApiKeys.tsx'), 'ApiKeys'),
});

const yourSite = createRoute({
  getParentRoute: () => workspace,
  path: '/your-site',
  component: lazyRouteComponent(() => import('./pages/your-site/YourSite.tsx'), 'YourSite'),
});

const models = createRoute({
  getParentRoute: () => workspace,
  path: '/models',
  validateSearch: searchParams({ model: text }),
  component: lazyRouteComponent(() => import('./pages/models/Models.tsx'), 'Models'),
});

const channels = createRoute({
  getParentRoute: () => workspace,
  path: '/channels',
  validateSearch: searchParams({
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
  component: lazyRouteComponent(() => import('./pages/channels/Channels.tsx'), 'Channels'),
});

const channel = createRoute({
  getParentRoute: () => workspace,
  path: '/channels/$id',
  validateSearch: searchParams({ tab: oneOf('history', 'capabilities', 'settings') }),
  component: lazyRouteComponent(() => import('./pages/channel/ChannelPage.tsx'), 'ChannelPage'),
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
  }),
  component: lazyRouteComponent(() => import('./pages/chats/Chats.tsx'), 'Chats'),
});

/** The list stays while one goes from chat to chat: its page shows the chat too. */
const chat = createRoute({ getParentRoute: () => chats, path: '/$id' });

const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: searchParams({
    q: text,
    by: oneOf('address'),
    instance: text,
    blocked: flag,
    id: text,
    create: flag,
    job: text,
  }),
  component: lazyRouteComponent(() => import('./pages/contacts/Contacts.tsx'), 'Contacts'),
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
  component: lazyRouteComponent(() => import('./pages/groups/Groups.tsx'), 'Groups'),
});

const group = createRoute({
  getParentRoute: () => workspace,
  path: '/groups/$id',
  validateSearch: searchParams({
    tab: oneOf('settings', 'history'),
    role: oneOf('owner', 'admin', 'member'),
  }),
  component: lazyRouteComponent(() => import('./pages/group/GroupPage.tsx'), 'GroupPage'),
});

const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: searchParams({
    tab: oneOf('catalogue'),
    type: text,
    id: text,
    search: text,
  }),
  component: lazyRouteComponent(() => import('./pages/events/Events.tsx'), 'Events'),
});

const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  validateSearch: searchParams({
    state: oneOf('enabled', 'disabled', 'failing'),
    event: text,
    create: flag,
    subscribe: text,
    inspector: text,
  }),
  component: lazyRouteComponent(() => import('./pages/webhooks/Webhooks.tsx'), 'Webhooks'),
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
  component: lazyRouteComponent(() => import('./pages/webhook/WebhookPage.tsx'), 'WebhookPage'),
});

const inspector = createRoute({
  getParentRoute: () => workspace,
  path: '/inspector',
  validateSearch: searchParams({ id: text, request: text }),
  component: lazyRouteComponent(() => import('./pages/inspector/InspectorPage.tsx'), 'InspectorPage'),
});

const members = createRoute({
  getParentRoute: () => workspace,
  path: '/members',
  validateSearch: searchParams({
    tab: oneOf('invitations'),
    invite: flag,
  }),
  component: lazyRouteComponent(() => import('./pages/members/Members.tsx'), 'Members'),
});

const auditLog = createRoute({
  getParentRoute: () => workspace,
  path: '/audit-log',
  validateSearch: searchParams({
    action: text,
    actor: text,
    target: text,
    since: text,
    id: text,
  }),
  component: lazyRouteComponent(() => import('./pages/audit-log/AuditLog.tsx'), 'AuditLog'),
});

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  validateSearch: searchParams({ tab: oneOf('profile', 'sessions') }),
  component: lazyRouteComponent(() => import('./pages/settings/Settings.tsx'), 'Settings'),
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
    channels,
    channel,
    chats.addChildren([chat]),
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
    events,
    webhooks,
    webhook,
    inspector,
    members,
    auditLog,
    settings,
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
