/** The icon of a channel, beside its name. */
import {
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconDeviceMobileMessage,
  IconFlask,
  IconMail,
  IconMessages,
  IconPlugConnected,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';

const ICONS: Partial<Record<string, TablerIcon>> = {
  email: IconMail,
  http: IconWebhook,
  sms_gateway: IconDeviceMobileMessage,
  twilio: IconDeviceMobileMessage,
  sandbox: IconFlask,
  telegram: IconBrandTelegram,
  whatsapp: IconBrandWhatsapp,
  xmpp: IconMessages,
};

export function ChannelIcon({ channel, size = 16 }: { channel: string; size?: number }) {
  const Icon = ICONS[channel] ?? IconPlugConnected;
  return <Icon size={size} stroke={1.6} aria-hidden style={{ flex: 'none' }} />;
}
