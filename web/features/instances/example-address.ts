/** Examples of addresses on each channel. */

const ADDRESSES: Record<string, string> = {
  sandbox: 'alice',
  email: 'ada@example.com',
  telegram: '123456789',
  whatsapp: '+16505551234',
  xmpp: 'ada@example.com',
  twilio: '+16505551234',
  sms_gateway: '+16505551234',
  http: 'alice',
};

/** Returns an address that the channel accepts. */
export const getExampleAddress = (channel: string | undefined): string =>
  ADDRESSES[channel ?? 'sandbox'] ?? 'alice';
