/**
 * The tabs of a link's page, in their order; the first is what its address alone shows. Each is loaded when it is first
 * opened, so that no chart costs who only looks for an address.
 */
import { type ComponentType, lazy, type LazyExoticComponent } from 'react';
import type { Link } from '../../api/types.ts';

export interface LinkTabProps {
  link: Link;
}

export interface LinkTab {
  /** In the address: `?tab=…`. */
  value: string;
  label: string;
  Content: LazyExoticComponent<ComponentType<LinkTabProps>>;
}

export const TABS: LinkTab[] = [
  {
    value: 'overview',
    label: 'Overview',
    Content: lazy(async () => ({ default: (await import('./LinkOverview.tsx')).LinkOverview })),
  },
  {
    value: 'clicks',
    label: 'Clicks',
    Content: lazy(async () => ({ default: (await import('./LinkClicks.tsx')).LinkClicks })),
  },
  {
    value: 'qr',
    label: 'QR code',
    Content: lazy(async () => ({ default: (await import('./LinkQr.tsx')).LinkQr })),
  },
  {
    value: 'details',
    label: 'Details',
    Content: lazy(async () => ({ default: (await import('./LinkDetails.tsx')).LinkDetails })),
  },
];
