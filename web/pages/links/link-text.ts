/** Words for what a link is. */
import type { Link } from '../../api/types.ts';
import type { Device, OperatingSystem } from './link-form.ts';

export const DEVICE_NAMES: Record<Device, string> = {
  mobile: 'Phone',
  tablet: 'Tablet',
  desktop: 'Desktop',
};

export const OS_NAMES: Record<OperatingSystem, string> = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  chromeos: 'ChromeOS',
};

export const LINK_STATES: Link['state'][] = ['active', 'expired', 'exhausted', 'archived'];

const NUMBER = new Intl.NumberFormat('en');
export const numberOf = (count: number): string => NUMBER.format(count);
