/** Renders an invitation link as a QR code, in the browser: the link is sent to no server. */
import { Text } from '@mantine/core';
import { renderSVG } from 'uqr';
import { t } from '../../copy/text.ts';
import classes from './group.module.css';

/** Largest size in bytes that can still be scanned from a screen. */
const MAX_BYTES = 1200;

export function InviteQr({ url, subject }: { url: string; subject: string }) {
  if (new TextEncoder().encode(url).length > MAX_BYTES)
    return <Text c="dimmed">{t('The link is too long for a QR code.')}</Text>;
  return (
    <img
      className={classes.qr}
      src={`data:image/svg+xml,${encodeURIComponent(renderSVG(url, { border: 3, ecc: 'L' }))}`}
      alt={t('QR code for joining {subject}', { subject })}
    />
  );
}
