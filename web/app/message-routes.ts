/** The pages of all messages and of their files. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { MESSAGE_STATUSES, MESSAGE_TYPES } from '../features/messages/message-params.ts';
import { oneOf, searchParams, text } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const messages = createRoute({
  getParentRoute: () => workspace,
  path: '/messages',
  validateSearch: searchParams({
    q: text,
    direction: oneOf('inbound', 'outbound'),
    status: oneOf(...MESSAGE_STATUSES),
    type: oneOf(...MESSAGE_TYPES),
    instance: text,
    since: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/messages/Messages.tsx')),
    'Messages',
  ),
});

export const media = createRoute({
  getParentRoute: () => workspace,
  path: '/media',
  validateSearch: searchParams({
    type: oneOf('image/*', 'video/*', 'audio/*', 'text/*', 'application/*'),
    since: text,
    id: text,
  }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/media/MediaList.tsx')),
    'MediaList',
  ),
});
