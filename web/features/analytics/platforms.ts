/** Names of devices and operating systems. */
import type { Link } from '../../api/types.ts';
import { t } from '../../copy/text.ts';

type Conditions = Link['targeting'][number]['when'];
export type Device = NonNullable<Conditions['device']>[number];
export type OperatingSystem = NonNullable<Conditions['os']>[number];

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
