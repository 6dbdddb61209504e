/** Names of devices, systems and link statuses. */
import { t } from '../../copy/text.ts';
import type { Link } from '../../api/types.ts';
import type { Device, OperatingSystem } from './link-form.ts';

export const DEVICE_NAMES: Record<Device, string> = {
  mobile: t('Phone'),
  tablet: t('Tablet'),
  desktop: t('Desktop'),
};

export const OS_NAMES: Record<OperatingSystem, string> = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  chromeos: 'ChromeOS',
};

export const STATE_NAMES: Record<Link['state'], string> = {
  active: t('Active'),
  expired: t('Expired'),
  exhausted: t('Limit reached'),
  archived: t('Archived'),
};

export const LINK_STATES = Object.keys(STATE_NAMES) as Link['state'][];
