/**
 * The left navigation, one table: the four surfaces, what they share, and the workspace's own pages. A group without items is not
 * shown, so a surface appears with its first page.
 */
import {
  IconActivity,
  IconAddressBook,
  IconAdjustments,
  IconBolt,
  IconBroadcast,
  IconBrowserShare,
  IconChartAreaLine,
  IconHistory,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconMessages,
  IconPlugConnected,
  IconPuzzle,
  IconSparkles,
  IconTag,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';

export type PagePath =
  | '/w/$workspace'
  | '/w/$workspace/api-keys'
  | '/w/$workspace/your-site'
  | '/w/$workspace/models'
  | '/w/$workspace/channels'
  | '/w/$workspace/chats'
  | '/w/$workspace/groups'
  | '/w/$workspace/contacts'
  | '/w/$workspace/links'
  | '/w/$workspace/analytics'
  | '/w/$workspace/tags'
  | '/w/$workspace/domains'
  | '/w/$workspace/publishing'
  | '/w/$workspace/rules'
  | '/w/$workspace/connect'
  | '/w/$workspace/events'
  | '/w/$workspace/webhooks'
  | '/w/$workspace/inspector'
  | '/w/$workspace/members'
  | '/w/$workspace/audit-log'
  | '/w/$workspace/settings';

export interface NavigationItem {
  label: string;
  to: PagePath;
  icon: TablerIcon;
  /** Shown only to those whose role has it. */
  scope?: string;
  /** Further words that find it in the search. */
  keywords?: string;
}

export interface NavigationGroup {
  /** Null for what stands above all surfaces. */
  label: string | null;
  items: NavigationItem[];
}

const NAVIGATION: NavigationGroup[] = [
  {
    label: null,
    items: [
      { label: 'Overview', to: '/w/$workspace', icon: IconLayoutDashboard, keywords: 'home getting started' },
    ],
  },
  {
    label: 'Getting started',
    items: [
      {
        label: 'API keys',
        to: '/w/$workspace/api-keys',
        icon: IconKey,
        scope: 'api_keys:read',
        keywords: 'secret token scope rotate revoke',
      },
      {
        label: 'Use it from your site',
        to: '/w/$workspace/your-site',
        icon: IconBrowserShare,
        scope: 'api_keys:write',
        keywords: 'browser key cors origin snippet',
      },
      {
        label: 'Models',
        to: '/w/$workspace/models',
        icon: IconSparkles,
        scope: 'models:read',
        keywords: 'ai chat try completions',
      },
    ],
  },
  {
    label: 'Messaging',
    items: [
      {
        label: 'Chats',
        to: '/w/$workspace/chats',
        icon: IconMessages,
        scope: 'chats:read',
        keywords: 'messages conversation inbox send write',
      },
      {
        label: 'Groups',
        to: '/w/$workspace/groups',
        icon: IconUsersGroup,
        scope: 'groups:read',
        keywords: 'rooms participants members invite join muc',
      },
      {
        label: 'Contacts',
        to: '/w/$workspace/contacts',
        icon: IconAddressBook,
        scope: 'contacts:read',
        keywords: 'people addresses import export csv block merge',
      },
      {
        label: 'Channels',
        to: '/w/$workspace/channels',
        icon: IconPlugConnected,
        scope: 'instances:read',
        keywords: 'instance account connect email sandbox pairing qr queue',
      },
    ],
  },
  {
    label: 'Short links',
    items: [
      {
        label: 'Links',
        to: '/w/$workspace/links',
        icon: IconLink,
        scope: 'links:read',
        keywords: 'short url redirect slug utm campaign target import export csv',
      },
      {
        label: 'Analytics',
        to: '/w/$workspace/analytics',
        icon: IconChartAreaLine,
        scope: 'links:read',
        keywords: 'clicks statistics visitors countries devices browsers referrers chart',
      },
      {
        label: 'Tags',
        to: '/w/$workspace/tags',
        icon: IconTag,
        scope: 'links:read',
        keywords: 'labels groups of links',
      },
      {
        label: 'Domains',
        to: '/w/$workspace/domains',
        icon: IconWorld,
        scope: 'domains:read',
        keywords: 'host dns txt record verify',
      },
    ],
  },
  {
    label: 'Automation',
    items: [
      {
        label: 'Publishing',
        to: '/w/$workspace/publishing',
        icon: IconBroadcast,
        scope: 'publishing:read',
        keywords: 'endpoint inbound hook post receive template liquid publication run log replay schedule',
      },
      {
        label: 'Rules',
        to: '/w/$workspace/rules',
        icon: IconBolt,
        scope: 'rules:read',
        keywords: 'automation trigger action condition event reply model loop run log',
      },
      {
        label: 'Connect',
        to: '/w/$workspace/connect',
        icon: IconPuzzle,
        scope: 'api_keys:write',
        keywords: 'zapier make n8n node-red postman bruno integration import flow workflow collection',
      },
    ],
  },
  {
    // What all surfaces share: webhooks and events tell of each of them.
    label: 'Developers',
    items: [
      {
        label: 'Webhooks',
        to: '/w/$workspace/webhooks',
        icon: IconWebhook,
        scope: 'webhooks:read',
        keywords: 'deliveries endpoint callback retry replay signature secret',
      },
      {
        label: 'Events',
        to: '/w/$workspace/events',
        icon: IconActivity,
        scope: 'events:read',
        keywords: 'live tail stream log catalogue',
      },
      {
        label: 'Inspector',
        to: '/w/$workspace/inspector',
        icon: IconInbox,
        scope: 'webhooks:read',
        keywords: 'request bin receiver test payload',
      },
    ],
  },
  {
    label: 'Workspace',
    items: [
      {
        label: 'Members',
        to: '/w/$workspace/members',
        icon: IconUsers,
        scope: 'members:read',
        keywords: 'invite invitation role people team',
      },
      {
        label: 'Audit log',
        to: '/w/$workspace/audit-log',
        icon: IconHistory,
        scope: 'audit:read',
        keywords: 'who changed what',
      },
      {
        label: 'Settings',
        to: '/w/$workspace/settings',
        icon: IconAdjustments,
        keywords: 'name delete profile password sessions',
      },
    ],
  },
];

/** The groups as somebody with these scopes sees them. */
export function navigationFor(scopes: readonly string[]): NavigationGroup[] {
  return NAVIGATION.map((group) => ({
    ...group,
    items: group.items.filter((item) => item.scope === undefined || scopes.includes(item.scope)),
  })).filter((group) => group.items.length > 0);
}
