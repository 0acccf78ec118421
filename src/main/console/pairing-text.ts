import { renderUnicodeCompact } from 'uqr'
import type { DeviceAddress, PairingCode } from '../../shared/model/place/paired-device'

/** Instructions to pair a device with a code, for a terminal; with a QR code of the link if a user reads them there. */
export function pairingText(
  { code, links, access, expiresAt }: PairingCode,
  address: DeviceAddress | undefined,
  showsQrCode: boolean,
): string {
  const [link] = links
  const until = new Date(expiresAt).toLocaleTimeString('sv').slice(0, 5)
  const can = access === 'full' ? 'with full access' : 'read-only'
  if (link === undefined || !address)
    return [
      `Code: ${code} (${can}, once, until ${until})`,
      'Trestle is not listening for devices yet. Run: trestle serve --listen 0.0.0.0',
      '',
    ].join('\n')
  return [
    `To pair a device (${can}, once, until ${until}), open this link on it:`,
    `  ${link}`,
    ...(showsQrCode ? ['', renderUnicodeCompact(link, { border: 2 }), ''] : []),
    `or open ${address.urls[0]} and type the code ${code}`,
    ...(address.isOwnCertificate && !address.tailscale
      ? [
          "The browser warns about the certificate, which is Trestle's own. " +
            'Compare its SHA-256 fingerprint before you continue:',
          `  ${address.fingerprint}`,
        ]
      : []),
    '',
  ].join('\n')
}
