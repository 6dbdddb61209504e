/** An invitation to be scanned, drawn in the browser: it goes to no server. */
import { Text } from '@mantine/core';
import { renderSVG } from 'uqr';
import classes from './group.module.css';

/** Bytes that a code of the lowest correction holds, and that can still be scanned from a screen. */
const MAX_BYTES = 1200;

export function InviteQr({ url, subject }: { url: string; subject: string }) {
  if (new TextEncoder().encode(url).length > MAX_BYTES)
    return <Text c="dimmed">It is too long for a QR code.</Text>;
  return (
    <img
      className={classes.qr}
      src={`data:image/svg+xml,${encodeURIComponent(renderSVG(url, { border: 3, ecc: 'L' }))}`}
      alt={`QR code of the invitation to ${subject}`}
    />
  );
}
