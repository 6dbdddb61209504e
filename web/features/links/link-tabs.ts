/**
 * The tabs of a link's page; the first is the default. Each is loaded when it's first opened, so that the charts don't
 * slow down the rest.
 */
import type { ComponentType } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import type { LinkTabProps } from './link-tab-props.ts';

export interface LinkTab {
  /** In the URL: `?tab=…`. */
  value: string;
  label: string;
  Content: ComponentType<LinkTabProps>;
}

export const TABS: LinkTab[] = [
  {
    value: 'overview',
    label: t('Overview'),
    Content: lazily(() => import('./LinkOverview.tsx'), 'LinkOverview'),
  },
  {
    value: 'clicks',
    label: t('Clicks'),
    Content: lazily(() => import('./LinkClicks.tsx'), 'LinkClicks'),
  },
  {
    value: 'qr',
    label: t('QR code'),
    Content: lazily(() => import('./LinkQr.tsx'), 'LinkQr'),
  },
  {
    value: 'details',
    label: t('Details'),
    Content: lazily(() => import('./LinkDetails.tsx'), 'LinkDetails'),
  },
];
